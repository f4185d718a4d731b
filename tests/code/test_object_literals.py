"""JavaScript: functions in object literals that are handed to a call, or returned, are symbols."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import pytest

from memlsp.code.diff.change_set import diff
from memlsp.code.diff.repetitions import without_repetitions
from memlsp.code.languages.javascript import JAVASCRIPT
from memlsp.code.syntax.nodes import Nodes
from memlsp.code.syntax.outline import outline
from memlsp.model.symbol import Symbol, SymbolKind

HANDED = """
var X = Base.extend({draw: function (ctx) { function inner() {} return inner; }, z: 1});
extend(Chart.prototype, {update() { return helpers.each(this.data, (one) => one); }});
module.exports = createRule({meta: {name: 'x'}, create(context) { const seen = {add() {}}; return seen; }});
Chart.register({id: 'zoom', hooks: {before(chart) { function scale() {} scale(chart); }}});
"""


def symbols(source: str, path: str = "a.js") -> list[Symbol]:
    """The symbols of a file, the file itself first."""
    return list(outline(path, source.encode()).symbols)


def no_member(_tree: Nodes, _node: int) -> None:
    """The answer before such functions were symbols."""


@contextmanager
def without_memberships() -> Generator[None]:
    """The outline as it was before such functions were symbols."""
    rule = JAVASCRIPT.membership
    object.__setattr__(JAVASCRIPT, "membership", no_member)
    try:
        yield
    finally:
        object.__setattr__(JAVASCRIPT, "membership", rule)


def given(source: str, path: str = "a.js") -> list[str]:
    """The names of the symbols that a membership gives."""
    found = symbols(source, path)
    if path != "a.js":
        return [each.name for each in found if each.kind is SymbolKind.METHOD]
    with without_memberships():
        before = {each.name for each in symbols(source)}
    return [each.name for each in found if each.name not in before]


@pytest.mark.parametrize(
    ("source", "names"),
    [
        # what the call fills
        ("extend(Chart.prototype, {update: function() {}});", ["Chart.update"]),
        ("helpers.extend(Chart.Controller.prototype, {update() {}});", ["Chart.Controller.update"]),
        ("function wrap(Chart) { extend(Chart.prototype, {draw() {}}); }", ["wrap.Chart.draw"]),
        ("Object.assign(helpers, {each(list) {}});", ["helpers.each"]),
        ("Object.assign(exports, {open() {}});", ["exports.open"]),
        ("(function ($) { $.fn.extend({shake() {}}); })(jQuery);", ["$.fn.shake"]),
        ("function make() { Object.defineProperties(make, {size: {get() {}}}); }", ["make.size.get"]),
        # the name that its value gets
        ("var X = Base.extend({draw: function () {}});", ["X.draw"]),
        ("export const useCart = defineStore('cart', {actions: {load() {}}});", ["useCart.actions.load"]),
        ("module.exports = createRule({meta: {}, create(context) {}});", ["exports.create"]),
        ("exports.rule = createRule({create: (context) => {}});", ["rule.create"]),
        ("export default defineComponent({methods: {go() {}}});", ["default.methods.go"]),
        ("Chart.controllers.bar = Controller.extend({update() {}});", ["Chart.controllers.bar.update"]),
        ("const value = computed({get: () => 1, set(one) {}});", ["value.get", "value.set"]),
        ("class Pool { reader = new Reader({read() {}}); }", ["Pool.reader.read"]),
        ("export default wrapped(defineComponent({setup() {}}));", ["default.setup"]),
        ("module.exports = function (Chart) { var T = Chart.Scale.extend({fit() {}}); };", ["exports.T.fit"]),
        # a statement of its own
        ("Chart.register({id: 'zoom', before(chart) {}});", ["zoom.before"]),
        ("Vue.component('todo-item', {methods: {add() {}}});", ["todo-item.methods.add"]),
        ("app.use({install(app) {}});", ["app.use.install"]),
        ("createApp({data() {}}).mount('#app');", ["createApp.data"]),
        ("function boot() { hosts.register({label: 'sync', attach(host) {}}); }", ["boot.sync.attach"]),
        # what a function returns
        ("function store() { return {get() {}, set: (one) => {}, size: 1}; }", ["store.get", "store.set"]),
        ("const make = (a) => ({run() {}});", ["make.run"]),
        ("const Api = (function () { return {open() {}}; })();", ["Api.open"]),
        ("function api(service) { return createController(service, {list: () => service.list()}); }", ["api.list"]),
        ("function make(opts) { return function handler(req) { function deep() {} }; }", ["make.handler"]),
        # a member of a member
        ("const Node = Node.create({attributes() { return {src: {parse() {}}}; }});",
         ["Node.attributes", "Node.attributes.src.parse"]),
    ],
)  # fmt: skip
def test_a_function_is_a_member_of_what_its_literal_is_the_body_of(source: str, names: list[str]) -> None:
    assert given(source) == names


@pytest.mark.parametrize(
    "source",
    [
        "function load() { $.ajax({url: '/', success(data) {}}); }",
        "function Page() { const found = useQuery({queryFn: () => 1}); return found; }",
        "test('x', () => { const driver = createDriver({interpret(effect) {}}); driver.run(); });",
        "items.map((item) => ({open() {}}));",
        "if (editable) { useSortable(list, {onUpdate() {}}); }",
        "expect(server.route({handler(request) {}})).toBe(1);",
        "const {data} = await useFetch('/api', {default: () => []});",
        "routes([{path: '/', load() {}}]);",
        "function Page() { return useMutation({mutate: () => 1}); }",
    ],
)
def test_a_callback_is_no_symbol(source: str) -> None:
    assert given(source) == []


def test_typescript_casts_and_type_arguments_hide_no_member() -> None:
    source = "export const Block = Node.create<Options>({name: 'b', parse(): void {}} as const);"
    assert given(source, "a.ts") == ["Block.parse"]


def test_two_calls_that_nothing_names_apart_are_told_apart_by_their_order() -> None:
    found = symbols("app.use({install() { a(); }});\napp.use({install() { b(); }});\n")
    assert [(each.name, each.ordinal) for each in found[1:]] == [("app.use.install", 0), ("app.use.install", 1)]


def test_all_other_symbols_stay_as_they_were_the_file_too() -> None:
    with without_memberships():
        before = symbols(HANDED)
    after = symbols(HANDED)
    assert [each for each in after if each in before] == before
    assert len(after) > len(before)
    assert {"X.inner", "hooks.scale"} <= {each.name for each in before}


def test_an_edit_is_told_of_the_member_and_not_of_the_file() -> None:
    sides = [[outline("a.js", text.encode())] for text in (HANDED, HANDED.replace("this.data", "this.rows"))]
    (told,) = without_repetitions(diff(*sides))
    assert told.change.new is not None
    assert told.change.new.name == "Chart.update"
