"""How it is measured: the view of airspeed velocity, the supervisor and the gate."""
