"""GSoFA (Gaihre, Li, Liu, TPDS 2021): one module per table or figure."""
