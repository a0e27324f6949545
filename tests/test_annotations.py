"""Named tuples are those of `typing`, but for the time that their classes take."""

from __future__ import annotations

import copy
import inspect
import pickle
import typing

import pytest

from exprgrad.annotations import NamedTuple


class Place(NamedTuple):
    start: int
    end: int = 0

    @property
    def length(self) -> int:
        return self.end - self.start


class Named(Place):
    __slots__ = ()


class Reference(typing.NamedTuple):
    start: int
    end: int = 0


def test_a_named_tuple_has_what_that_of_typing_has() -> None:
    place, reference = Place(1, end=3), Reference(1, end=3)
    assert place == reference == (1, 3)
    assert place.length == 2
    assert place._asdict() == reference._asdict()
    assert place._replace(start=2) == reference._replace(start=2)
    assert repr(place).replace("Place", "Reference") == repr(reference)
    for name in ("_fields", "_field_defaults", "__match_args__", "__slots__"):
        assert getattr(Place, name) == getattr(Reference, name)
    assert Place._make([4, 5]) == (4, 5)
    assert not hasattr(place, "__dict__")
    assert hash(place) == hash(reference)
    own, other = (inspect.signature(c) for c in (Place, Reference))
    assert list(own.parameters) == list(other.parameters)


def test_a_named_tuple_survives_copies_and_a_match() -> None:
    place = Named(1)
    for other in (pickle.loads(pickle.dumps(place)), copy.deepcopy(place)):
        assert (type(other), other) == (Named, place)
    match place:
        case Place(start, end):
            assert (start, end) == (1, 0)


def test_a_named_tuple_refuses_values_that_do_not_fit() -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        Place()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="Expected 2 arguments, got 1"):
        Place._make([1])
    with pytest.raises(ValueError, match="unexpected field names"):
        Place(1)._replace(middle=2)  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        Place(1).start = 2  # type: ignore[misc]


def test_classes_with_as_many_fields_share_the_code_that_makes_their_tuples(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Pair(NamedTuple):
        first: int
        second: int

    class Empty(NamedTuple):
        pass

    assert (Pair(1, 2), Empty()) == ((1, 2), ())
    monkeypatch.setattr("builtins.eval", None)

    class Other(NamedTuple):
        left: int
        right: int = 3

    assert Other(left=1) == (1, 3)
    assert Pair(second=2, first=1) == (1, 2)
    with pytest.raises(TypeError, match=r"Other\.__new__\(\) missing .* 'left'"):
        Other(right=1)  # type: ignore[call-arg]
