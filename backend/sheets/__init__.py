"""Sheets: cloth, paper and leaves, whose unknowns are the vertices themselves."""
