"""Conversion of Python objects to kernel arguments."""
