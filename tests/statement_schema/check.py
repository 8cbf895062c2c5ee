"""The statement that libs/rerun writes (its golden file) against schemas/controlled-rerun.v1.schema.json, and faults that the
schema must refuse. Exit code 77, saying why, where python3-jsonschema is not installed."""
import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)

root = pathlib.Path(__file__).resolve().parents[2]
schema = json.loads((root / "schemas/controlled-rerun.v1.schema.json").read_text())
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
text = (root / "libs/rerun/tests/data/statement.json").read_text()
failures = [f"the golden statement: {error.message}" for error in validator.iter_errors(json.loads(text))]
for why, change in {
    "no evidence": lambda s: s["predicate"].update(evidence=[]),
    "a new member": lambda s: s["predicate"].update(x=1),
    "a missing member": lambda s: s["predicate"].pop("job"),
    "two subjects": lambda s: s["subject"].append(s["subject"][0]),
    "a digest in upper case": lambda s: s["predicate"].update(protocol=s["predicate"]["protocol"].upper()),
    "another predicate": lambda s: s.update(predicateType="https://example.com/v1"),
    "a machine with a name": lambda s: s["predicate"]["runner"].update(machine="desk-3"),
    "an unknown class of host": lambda s: s["predicate"]["runner"].update(hostClass="cloud"),
}.items():
    bad = json.loads(text)
    change(bad)
    if validator.is_valid(bad):
        failures.append(why)
for failure in failures:
    print("wrong:", failure)
sys.exit(1 if failures else 0)
