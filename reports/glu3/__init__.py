"""GLU3.0 (Peng and Tan, IEEE Design & Test 2020, as their slides tell it): one module per table or figure."""
