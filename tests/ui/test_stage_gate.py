from __future__ import annotations

from threading import Thread

from radixviz.ui.stage_gate import StageGate


def test_a_gate_lets_through_what_was_asked_for() -> None:
    """Two stages and no third: nobody asks for it in time, so the run is over."""
    gate = StageGate(idle_seconds=0.01)
    gate.allow(2)
    passed = []
    while gate.is_open():
        passed.append(gate.is_waiting)
        gate.pass_stage()
    assert (passed, gate.is_closed) == ([False, False], True)


def test_a_waiting_run_goes_on_when_it_is_asked_to_and_ends_when_it_is_called_off() -> None:
    """Another thread opens the gate, and closes it."""
    gate, went = StageGate(idle_seconds=20), []

    def run() -> None:
        while gate.is_open():
            went.append(1)
            gate.pass_stage()

    thread = Thread(target=run)
    thread.start()
    gate.allow(3)
    while len(went) < 3:
        thread.join(0.01)
    assert (gate.is_waiting, thread.is_alive()) == (True, True)
    gate.close()
    thread.join(10)
    assert (len(went), thread.is_alive()) == (3, False)
