"""GSoFA (Gaihre, Li, Liu, TPDS 2021): one module a table or figure."""
