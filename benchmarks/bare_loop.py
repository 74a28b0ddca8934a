"""The plainest way to put questions to a server: httpx in some threads, answers thrown away.

As a script: `python bare_loop.py URL COUNT CONNECTIONS`, so that whole processes can be compared.
"""

from __future__ import annotations

import sys
import threading

import httpx

MODEL = "smollm2:135m-instruct-q4_1"


def bare_loop(url: str, count: int, connections: int) -> None:
    numbers = iter(range(count))
    taking = threading.Lock()
    limits = httpx.Limits(max_connections=connections, max_keepalive_connections=connections)
    with httpx.Client(base_url=url, limits=limits, timeout=60) as client:

        def work() -> None:
            while True:
                with taking:
                    number = next(numbers, None)
                if number is None:
                    return
                body = {
                    "model": MODEL,
                    "messages": [{"role": "user", "content": f"Question {number}"}],
                    "stream": False,
                    "options": {"temperature": 0, "num_predict": 16},
                }
                client.post("/api/chat", json=body).json()

        workers = [threading.Thread(target=work) for _ in range(connections)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()


if __name__ == "__main__":
    bare_loop(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
