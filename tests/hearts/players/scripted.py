"""A program for the command player: answers as its first argument says, JSON line by JSON line."""

import json
import sys
import time

from hearts.notation import view_of


def main(habit: str) -> None:
    """Answer questions until stdin ends."""
    for number, line in enumerate(sys.stdin):
        question = json.loads(line)
        legal = question["legal"]
        if habit == "first":
            assert view_of(question["view"]).seat in range(4)
            answer = {"card": legal[0], "cards": legal[:3], "simulations": 5}
        elif habit == "illegal":
            answer = {"card": "2C", "cards": legal[:2]}
        elif habit == "dies" and number == 3:
            sys.exit(1)
        elif habit == "hangs" and number == 3:
            time.sleep(60)
        else:
            answer = {"card": legal[-1], "cards": legal[-3:]}
        text = "no JSON" if habit == "babbles" else json.dumps(answer)
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
