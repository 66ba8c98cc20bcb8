"""Which stage asks what."""

from __future__ import annotations

from dataclasses import dataclass

from radixviz.scenario.schema import Scenario


@dataclass(frozen=True, slots=True)
class Asked:
    """Which stage, by its place in the file, asks each request and each sequence; what is never asked is left out."""

    requests: dict[str, int]
    sequences: dict[str, int]

    def before(self, request_id: str, place: int) -> bool:
        """Tell whether a request is asked in an earlier stage than the one at `place`."""
        return request_id in self.requests and self.requests[request_id] < place


def asked_in(scenario: Scenario) -> Asked:
    """Return what each stage asks; of a request that two stages ask, the first counts."""
    requests: dict[str, int] = {}
    sequences: dict[str, int] = {}
    for place, stage in enumerate(scenario.stage):
        for request in map(scenario.find_request, stage.requests):
            if request is not None:
                requests.setdefault(request.id, place)
                sequences.update((sequence, place) for sequence in request.sequence_ids())
    return Asked(requests, sequences)
