"""Rigid bodies in numbers: their contacts found and their islands solved by compiled kernels, all in arrays."""
