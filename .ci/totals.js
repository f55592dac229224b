// Sums the Jest reports of a folder. A suite that could not even start counts as one failure.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];
let passed = 0;
let failed = 0;
for (const file of readdirSync(folder)) {
  const report = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  passed += report.numPassedTests;
  failed += report.numFailedTests + report.numRuntimeErrorTestSuites;
}
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;
