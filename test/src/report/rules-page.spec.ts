import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { format, resolveConfig } from 'prettier';
import { DEPLOYMENT_RULES } from '../../../src/report/deployment/rules.js';
import type { RuleTexts } from '../../../src/report/rule.js';
import { RULES } from '../../../src/report/rules/index.js';

const page = join(import.meta.dirname, '../../../docs/reference/report-rules.md');

const HEAD = `---
title: Rules of the report
description: Lists all rules of nest-oauth2 doctor with their severity, their source and the change to make.
group: Module
order: 42
keywords: doctor, OAuth2Report, report, findings, rules, audit, RFC 9700, security check
---

# Rules of the report

[\`npx nest-oauth2 doctor\`](../guides/doctor.md) and \`OAuth2Report\` judge by these rules. Each entry has the \`id\` of
the rule, its severity, its source, what should be, how to change it, and the risk that remains.

A rule with the severity \`info\` states a fact. It is not a finding to fix.
`;

const FOOT = `
## The list

\`WRITE_RULES=1 npm test -- test/src/report/rules-page.spec.ts\` writes this page from the rules in the source. A test
compares both.
`;

/** Returns code for a line of Markdown, also if it contains backticks. */
const codeOf = (code: string) => (code.includes('`') ? `\`\` ${code} \`\`` : `\`${code}\``);

const entryOf = ({ id, severity, source, should, change, code, risk }: RuleTexts) =>
  `- **\`${id}\`** (${severity}, ${source}): ${should} _Change:_ ${change}${code === undefined ? '' : ` ${codeOf(code)}`} _Risk:_ ${risk}`;

const sectionOf = (title: string, rules: readonly RuleTexts[]) => `\n## ${title}\n\n${rules.map(entryOf).join('\n')}\n`;

it('docs/reference/report-rules.md lists all rules', async () => {
  const sections = Object.entries(RULES).map(([title, rules]) => sectionOf(title, rules));
  const text = [HEAD, ...sections, sectionOf('The deployment, from outside', DEPLOYMENT_RULES), FOOT].join('');
  const expected = await format(text, { ...(await resolveConfig(page)), parser: 'markdown' });
  if (process.env['WRITE_RULES']) writeFileSync(page, expected);
  expect(readFileSync(page, 'utf8')).toBe(expected);
});
