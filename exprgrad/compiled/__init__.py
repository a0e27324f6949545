"""Programs written from a tape: for one point, for columns of points, for arrays.

It imports from `errors`, `operations`, `graph` and `sweeps`, and from `notation` and `proof`.
"""
