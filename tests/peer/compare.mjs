// Compares what ki_peer_feed says with independent implementations: the npm packages canonicalize,
// ajv, yaml and @sigstore/core, and JavaScript's own number text and JSON.parse.
//
//   node compare.mjs FEED SCHEMAS EXAMPLES [EXPORT]
//
// One line per comparison; exits 1 when any differs.
import {spawn} from 'node:child_process';
import {createHash, verify} from 'node:crypto';
import {readFileSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {dsse} from '@sigstore/core';
import Ajv2020 from 'ajv/dist/2020.js';
import canonicalize from 'canonicalize';
import {parseDocument} from 'yaml';

const [feed, schemaFolder, examples, catalog] = process.argv.slice(2);
const long = process.env.KI_LONG ? 10 : 1;
let failures = 0;

// Calls `each` with the tab-separated cells of every line that the feed prints.
async function feedLines(args, each) {
  const child = spawn(feed, args, {stdio: ['ignore', 'pipe', 'inherit']});
  const exit = new Promise((resolve) => child.on('close', resolve));
  let count = 0;
  for await (const line of createInterface({input: child.stdout, crlfDelay: Infinity})) {
    ++count;
    const problem = each(line.split('\t'));
    if (problem && ++failures <= 20) console.log(`  ${args[0]}: ${problem}`);
  }
  const status = await exit;
  if (status !== 0) throw new Error(`${feed} ${args[0]} ended with ${status}`);
  return count;
}

async function report(name, work) {
  const before = failures;
  const text = await work();
  console.log(`${failures === before ? 'ok  ' : 'FAIL'} ${name}: ${text}, ${failures - before} differ`);
}

const sha256 = (text) => 'sha256:' + createHash('sha256').update(text).digest('hex');

await report('numbers', async () => {
  const view = new DataView(new ArrayBuffer(8));
  const count = await feedLines(['doubles', String(1_000_000 * long)], ([hex, ours]) => {
    view.setBigUint64(0, BigInt('0x' + hex));
    const x = view.getFloat64(0);
    if (String(x) !== ours || canonicalize(x) !== ours) return `${hex}: ${String(x)}, ours ${ours}`;
  });
  return `${count} doubles as String(x) and canonicalize(x)`;
});

if (catalog) {
  await report('digests', async () => {
    const count = await feedLines(['catalog', catalog], ([text, ours]) => {
      const {apiVersion, kind, spec} = JSON.parse(text);
      const theirs = sha256(canonicalize({apiVersion, kind, spec}));
      if (theirs !== ours) return `${theirs}, ours ${ours}: ${text}`;
    });
    return `${count} manifests of the export by JSON.parse, canonicalize and sha256`;
  });
} else {
  console.log('skip digests: no catalog export');
}

await report('schemas', async () => {
  const ajv = new Ajv2020({strict: true, allErrors: false, allowUnionTypes: true});
  const validators = new Map();
  for (const name of readdirSync(schemaFolder)) {
    if (!name.endsWith('.schema.json')) continue;
    const schema = JSON.parse(readFileSync(join(schemaFolder, name), 'utf8'));
    validators.set(name.split('.')[0], ajv.compile(schema));
  }
  // What a schema cannot say: rules over several members, the calendar, host names, lengths in
  // UTF-16 units, whole nanoseconds (libs/manifest/include/ki/manifest/schema.h).
  const beyond = new Set(['bad_axis', 'bad_argument', 'missing_statistic', 'bad_instant',
    'bad_duration', 'bad_format', 'too_long', 'number_too_large']);
  let accepted = 0, schemaOnly = 0, refused = 0;
  const count = await feedLines(['schemas', examples, ...(catalog ? [catalog] : [])],
    ([slug, ours, text]) => {
      const theirs = validators.get(slug)(JSON.parse(text));
      if (ours === 'accept') {
        ++accepted;
        return theirs ? undefined : `${slug}: only ours accepts ${text}`;
      }
      if (!theirs) return void ++refused;
      ++schemaOnly;
      const other = ours.split(' ').filter((code) => !beyond.has(code));
      if (other.length) return `${slug}: only ajv accepts (${other}) ${text}`;
    });
  return `${validators.size} schemas, ${count} manifests: ${accepted} accepted by both, ` +
    `${refused} refused by both, ${schemaOnly} refused only by rules beyond a schema`;
});

await report('yaml', async () => {
  // libyaml allows layouts that YAML 1.2 does not: continuation lines of flow collections and quoted
  // texts with too little indentation, a comment right after a bracket. One meaning, no second one.
  const layout = new Set(['BAD_INDENT', 'MISSING_CHAR', 'MULTILINE_IMPLICIT_KEY']);
  let accepted = 0, odd = 0;
  const count = await feedLines(['yaml', examples, String(20_000 * long)], ([quoted, ours]) => {
    if (ours === 'refused') return;
    ++accepted;
    const text = JSON.parse(quoted);
    const document = parseDocument(text, {version: '1.2', schema: 'core', uniqueKeys: true});
    const problem = document.errors[0] ?? document.warnings[0];
    if (problem && layout.has(problem.code)) return void ++odd;
    if (problem) return `only ours accepts (${problem.code}): ${quoted}`;
    const theirs = canonicalize(document.toJS());
    if (theirs !== ours) return `${theirs}, ours ${ours}: ${quoted}`;
  });
  return `${count} texts, ${accepted - odd} accepted by both mean the same, ` +
    `${odd} have a layout that the package yaml refuses`;
});

await report('envelopes', async () => {
  const count = await feedLines(['dsse', String(2_000 * long)], ([text, pem, ours]) => {
    const envelope = JSON.parse(text);
    const payload = Buffer.from(envelope.payload, 'base64');
    const theirs = dsse.preAuthEncoding(envelope.payloadType, payload);
    if (theirs.toString('base64') !== ours) return `${theirs.toString('base64')}, ours ${ours}: ${text}`;
    const signature = Buffer.from(envelope.signatures[0].sig, 'base64');
    if (!verify(null, theirs, JSON.parse(pem), signature)) return `the signature does not verify: ${text}`;
  });
  return `${count} by the pre-authentication encoding of @sigstore/core and Ed25519 of Node`;
});

process.exit(failures ? 1 : 0);
