"""Budgets of search."""

from __future__ import annotations

import time

import pytest

from server.search import budgets
from server.search.budgets import SearchBudget


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test sets."""
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_who_has_spent_a_budget_waits_and_nobody_else(clock):
    budget = SearchBudget(30)
    budget.spend("me", 29)
    assert budget.delay("me") == 0
    budget.spend("me", 11)
    assert budget.delay("me") == pytest.approx(20)  # a debt of 10 s shrinks by half a second in one
    assert budget.delay("you") == 0
    clock[0] += 20.01
    assert budget.delay("me") == 0
    clock[0] += 60
    budget.spend("me", 30)
    assert budget.delay("me") == 0


def test_settled_debts_are_forgotten(clock, monkeypatch):
    monkeypatch.setattr(budgets, "SWEEP_AT", 10)
    budget = SearchBudget(30)
    for n in range(10):
        budget.spend(str(n), 1)
    clock[0] += 60
    budget.spend("me", 1)
    assert list(budget._debts) == ["me"]
