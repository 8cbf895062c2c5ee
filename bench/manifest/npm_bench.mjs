// The npm pipeline on the same manifests: JSON.parse, canonicalize, SHA-256. Prints one line like
// those of bench_manifest_digest (processor time of all threads of the process, then wall). Needs the packages of tests/peer.
//
//   node npm_bench.mjs LINES [PASSES]
import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import canonicalize from '../../tests/peer/node_modules/canonicalize/lib/canonicalize.js';

const [path, passes = '15'] = process.argv.slice(2);
const texts = readFileSync(path, 'utf8').split('\n').filter((line) => line.length);
const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
let sink = 0;
const pass = () => {
  for (const text of texts) {
    const {apiVersion, kind, spec} = JSON.parse(text);
    sink += createHash('sha256').update(canonicalize({apiVersion, kind, spec})).digest('hex').length;
  }
};
pass();
const rates = [];
const wall = [];
for (let i = 0; i < Number(passes); ++i) {
  const used = process.cpuUsage();
  const begin = process.hrtime.bigint();
  pass();
  wall.push(bytes / 1e6 / (Number(process.hrtime.bigint() - begin) / 1e9));
  const {user, system} = process.cpuUsage(used);
  rates.push(bytes / (user + system));
}
rates.sort((a, b) => a - b);
wall.sort((a, b) => a - b);
const show = (x) => x.toFixed(1);
console.log(`${'npm: parse + canonicalize + sha256'.padEnd(34)}${show(rates[rates.length >> 1]).padStart(9)} MB/s  ` +
  `[${show(rates[0])}, ${show(rates.at(-1))}]  wall ${show(wall[wall.length >> 1])}  ${passes} passes`);
process.exit(sink ? 0 : 1);
