// Sums the Jest reports of a folder and lists the failures at the end of a run. A suite that could not start counts as
// one failure.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Maximum number of lines of a failure message. The complete message is in the output of the step. */
const LINES = 12;

const folder = process.argv[2];
let passed = 0;
let failed = 0;
const failures = [];
for (const file of readdirSync(folder)) {
  const report = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  passed += report.numPassedTests;
  failed += report.numFailedTests + report.numRuntimeErrorTestSuites;
  for (const { name, status, message, assertionResults } of report.testResults) {
    const ofTests = assertionResults.filter((one) => one.status === 'failed');
    for (const { fullName, failureMessages } of ofTests) failures.push([name, fullName, failureMessages.join('\n')]);
    if (status === 'failed' && ofTests.length === 0) failures.push([name, 'outside of its tests', message]);
  }
}
for (const [file, test, message] of failures) {
  const lines = stripVTControlCharacters(message).split('\n').slice(0, LINES);
  console.log(`FAILED ${relative('.', file)}: ${test}\n${lines.map((line) => `    ${line}`).join('\n')}`);
}
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;
