"""A program for the command player; its first argument selects how it answers."""

import json
import sys

from hearts.views.view import View


def main(habit: str) -> None:
    """Answer questions until stdin ends."""
    for line in sys.stdin:
        question = json.loads(line)
        legal = question["legal"]
        if habit == "illegal":
            answer = {"card": "2C", "cards": legal[:2]}
        else:
            assert View.parse(question["view"]).seat in range(4)
            answer = {"card": legal[0], "cards": legal[:3], "simulations": 5}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
