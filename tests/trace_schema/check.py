"""Traces against schemas/problem-trace.v1.schema.json: every status with every combination of its parts (only the one that
belongs to it is valid), and a few faults. Exit code 77, saying why, where python3-jsonschema is not installed."""
import itertools
import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)

root = pathlib.Path(__file__).resolve().parents[2]
schema = json.loads((root / "schemas/problem-trace.v1.schema.json").read_text())
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)


def trace(status, correctness, performance):
    return {
        "definition": "d",
        "workload": {"uuid": "u", "axes": {"n": 4}, "inputs": {"x": {"type": "random"}}},
        "solution": "s",
        "evaluation": {
            "status": status,
            "environment": {"hardware": "h", "libs": {}},
            "timestamp": "2026-12-01T10:00:00Z",
            "log": "",
            "correctness": correctness,
            "performance": performance,
        },
    }


parts = {"PASSED": (True, True), "INCORRECT_NUMERICAL": (True, False)}
failures = []
statuses = schema["$defs"]["evaluation"]["properties"]["status"]["enum"]
for status, has_correctness, has_performance in itertools.product(statuses, [True, False], [True, False]):
    one = trace(status, {} if has_correctness else None, {} if has_performance else None)
    expected = parts.get(status, (False, False)) == (has_correctness, has_performance)
    if validator.is_valid(one) != expected:
        failures.append(f"{status} with correctness {has_correctness} and performance {has_performance}")

good = trace("PASSED", {}, {})
for why, change in {
    "a negative latency": lambda t: t["evaluation"].update(performance={"latency_ms": -1}),
    "a new member": lambda t: t.update(extra=1),
    "a ratio of 0": lambda t: t["workload"].update(tolerance={"required_matched_ratio": 0}),
    "an axis of -1": lambda t: t["workload"].update(axes={"n": -1}),
    "an input without type": lambda t: t["workload"].update(inputs={"x": {}}),
    "an unknown status": lambda t: t["evaluation"].update(status="OK"),
}.items():
    bad = json.loads(json.dumps(good))
    change(bad)
    if validator.is_valid(bad):
        failures.append(why)
if not validator.is_valid({"definition": "d", "workload": good["workload"]}):
    failures.append("a workload trace")

# Traces that the program wrote, given as files.
for name in sys.argv[1:]:
    for line in pathlib.Path(name).read_text().splitlines():
        validator.validate(json.loads(line))

print("\n".join(failures) or f"{len(statuses) * 4} combinations, 6 faults: as expected")
sys.exit(1 if failures else 0)
