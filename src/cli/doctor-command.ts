import { writeFile } from 'node:fs/promises';
import type { Severity } from '../report/rule.js';
import { type Command, type CommandArguments, type CommandOption, UsageError } from './command.js';

const FORMATS = ['text', 'json', 'sarif', 'html'] as const;
const SEVERITIES = ['info', 'low', 'medium', 'high'] as const satisfies readonly Severity[];

/** The option that decides which findings fail a command. */
export const FAIL_ON: CommandOption = {
  type: 'string',
  value: '<severity>',
  description:
    'exits with 1 if a finding has at least this severity and is not accepted: info, low, medium, high or never. Default: high',
};

/** Returns the value of `--fail-on`. */
export const failOnOf = (args: CommandArguments): Severity | 'never' =>
  oneOf(args, 'fail-on', [...SEVERITIES, 'never'], 'high');

/** The command that judges the configuration, and a deployment from outside. */
export const DOCTOR_COMMAND: Command = {
  argument: '[url]',
  description:
    'judges the configuration of all servers by RFC 9700, OAuth 2.1, OpenID Connect, FAPI 2.0 and MCP; with a URL, also the deployment from outside',
  options: {
    format: { type: 'string', value: '<name>', description: 'text, json, sarif or html. Default: text' },
    output: { type: 'string', value: '<file>', description: 'writes the report to a file, and prints a summary' },
    'fail-on': FAIL_ON,
    tenant: {
      type: 'string',
      multiple: true,
      value: '<id>',
      description: 'a tenant to examine, if each tenant has its own server. Can be repeated',
    },
  },
  isTargetOptional: ({ id }) => id !== '',
  async run(args, target) {
    const format = oneOf(args, 'format', FORMATS, args.isSet('json') ? 'json' : 'text');
    const failOn = failOnOf(args);
    const tenants = args.list('tenant');
    const report = await target.report({ ...(args.id && { url: args.id }), ...(tenants && { tenants }) });
    const { formatReport } = await import('../report/formats/format-report.js');
    const { openFindings, summaryOf } = await import('../report/report.js');
    const isFailed = failOn !== 'never' && openFindings(report, failOn).length > 0;
    const output = args.text('output');
    if (output !== undefined) await writeFile(output, `${formatReport(report, format)}\n`);
    const text = output === undefined ? formatReport(report, format) : summaryOf(report);
    return { value: report, lines: [text], exitCode: isFailed ? 1 : 0 };
  },
};

/** Returns the value of an option that has one of some values. */
function oneOf<T extends string>(args: CommandArguments, option: string, values: readonly T[], fallback: T): T {
  const given = args.text(option) ?? fallback;
  const value = values.find((one) => one === given);
  if (value === undefined)
    throw new UsageError(`\`--${option}\` must be ${values.join(', ')}. Got ${JSON.stringify(given)}`);
  return value;
}
