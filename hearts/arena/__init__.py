"""Tournaments: duplicate deals, intervals, faults counted, on one machine or many."""
