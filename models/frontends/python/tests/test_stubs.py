"""The type stubs name what the compiled module has, with the same parameters; and all of it is documented."""

import ast
import inspect
from pathlib import Path

import pytest

import seega
from seega import _seega

STUB = ast.parse((Path(seega.__file__).parent / "_seega.pyi").read_text())
FUNCTIONS = {node.name: node for node in STUB.body if isinstance(node, ast.FunctionDef)}
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}


def parameters(function):
    """Names, kinds and defaults of a stub's function, without self or cls."""
    args = function.args
    kinds = inspect.Parameter
    told = [(arg.arg, kinds.POSITIONAL_ONLY) for arg in args.posonlyargs]
    told += [(arg.arg, kinds.POSITIONAL_OR_KEYWORD) for arg in args.args]
    defaults = [None] * (len(told) - len(args.defaults)) + args.defaults
    told += [(arg.arg, kinds.KEYWORD_ONLY) for arg in args.kwonlyargs]
    defaults += args.kw_defaults
    values = [inspect.Parameter.empty if value is None else ast.literal_eval(value) for value in defaults]
    return [(*name, value) for name, value in zip(told, values) if name[0] not in ("self", "cls")]


def real(function):
    found = inspect.signature(function).parameters.values()
    return [(found.name, found.kind, found.default) for found in found if found.name != "self"]


def test_the_package_passes_on_all_that_the_module_has():
    public = {name for name in vars(_seega) if not name.startswith("_")}
    assert public == {*FUNCTIONS, *CLASSES} == set(seega.__all__) - {"__version__"}
    assert all(getattr(seega, name).__module__ == "seega" for name in CLASSES)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_have_the_stubs_parameters(name):
    assert real(getattr(seega, name)) == parameters(FUNCTIONS[name])
    assert getattr(seega, name).__doc__


@pytest.mark.parametrize("name", CLASSES)
def test_classes_have_the_stubs_members(name):
    real_class = getattr(seega, name)
    members = {node.name: node for node in CLASSES[name].body if isinstance(node, ast.FunctionDef)}
    assert real_class.__doc__
    assert {member for member in dir(real_class) if not member.startswith("_")} == {
        member for member in members if not member.startswith("_")
    }
    for member, node in members.items():
        found = inspect.getattr_static(real_class, member)
        decorators = {decorator.id for decorator in node.decorator_list}
        assert inspect.isgetsetdescriptor(found) == ("property" in decorators), member
        if member == "__new__":
            assert real(real_class) == parameters(node)
        elif not member.startswith("_"):
            assert found.__doc__ or getattr(real_class, member).__doc__, member
            if "property" not in decorators:
                assert real(getattr(real_class, member)) == parameters(node), member
