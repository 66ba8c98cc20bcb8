"""The presenter's window of a lesson: notes, the next state and the time, for the lecturer's own screen."""

from __future__ import annotations

from radixviz.errors import RadixVizError
from radixviz.ui.components.lesson import show_lesson
from radixviz.ui.components.page_style import style_page
from radixviz.ui.components.start_up import show_error
from radixviz.ui.lessons import lesson_data, lesson_named
from radixviz.ui.state import asked_lesson, page_language
from radixviz.ui.story import NINE_STAGES


def show_presenter() -> None:
    """Show the notes of the lesson in the address; it follows the page that shows the lesson in the same browser."""
    style_page()
    asked = asked_lesson()
    try:
        lesson = lesson_named(asked.name or "")
    except RadixVizError as error:
        show_error(error, page_language())
        return
    show_lesson("presenter", lesson_data(lesson, asked.lang or page_language(), NINE_STAGES))
