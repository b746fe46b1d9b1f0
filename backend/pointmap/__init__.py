"""Pointmaps: where in camera space every pixel of a moving object lies, with mask, depth and colour."""
