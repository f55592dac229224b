import { CommandError } from '../cli/command.js';
import { findingSections, htmlPage, text } from '../report/formats/html.js';
import { type Proof, summaryOf } from './proof.js';

/** Returns a proof as an HTML page that loads nothing. It contains the proof itself, so that it can be verified. */
export function htmlProof(proof: Proof): string {
  const { verdicts, details, digest, signature } = proof;
  const { commit, seed, version, contract, conformance, failures } = verdicts;
  const attacks = details.attacks.map(({ id, title, source, verdict, detail, request, remedy }) => [
    verdict,
    `${id}: ${title} (${source})`,
    [detail, request, remedy].filter(Boolean).join(' '),
  ]);
  const checks = contract?.checks.map(({ name, result }) => [
    result,
    name,
    details.contract.find((one) => one.name === name)?.message ?? '',
  ]);
  const plans = conformance.map(({ plan, platform, commit: built, results, unfinished }) => [
    plan,
    platform,
    built,
    Object.entries({ ...results, unfinished })
      .map(([name, count]) => `${name} ${count}`)
      .join(', '),
  ]);
  const body = [
    `<p><b>${text(summaryOf(proof))}</b></p>`,
    ...failures.map((one) => `<p>${text(one)}.</p>`),
    table(
      'What was examined',
      ['property', 'value'],
      [
        ['Issuers', verdicts.examined.join(', ')],
        ['Commit', commit],
        ['Seed', String(seed)],
        ['Version of nest-oauth2', version],
        ['Time', details.at],
        ['Node.js', details.node],
        ['Seconds', JSON.stringify(details.seconds)],
        ['Digest of the verdicts', digest],
        ['Signature', signature ?? 'none: the server has no keys'],
      ],
    ),
    '<h1>Configuration</h1>',
    findingSections(details.doctor),
    table('Attacks', ['verdict', 'attack', 'evidence or reason'], attacks),
    checks ? table('Store', ['result', 'requirement', 'observation'], checks) : '<h1>Store</h1>\n<p>Not tested.</p>',
    table('Conformance', ['plan', 'platform', 'commit', 'modules'], plans),
    `<script type="application/json" id="proof">${JSON.stringify(proof).replaceAll('<', String.raw`\u003c`)}</script>`,
  ];
  return htmlPage('OAuth 2.0 proof', body.join('\n'));
}

/**
 * Returns the proof in a JSON text or in a page.
 * @throws {CommandError} If there is none, or if the page shows something else.
 */
export function readProof(file: string): Proof {
  const [, data] = /<script type="application\/json" id="proof">(.*)<\/script>/.exec(file) ?? [];
  let proof: Proof;
  try {
    proof = JSON.parse(data ?? file) as Proof;
  } catch {
    throw new CommandError('The file contains no report of `nest-oauth2 prove`');
  }
  if (proof?.format !== 'nest-oauth2-proof/1')
    throw new CommandError('The file contains no report of `nest-oauth2 prove` in a known format');
  if (data !== undefined && htmlProof(proof) !== file)
    throw new CommandError('The report is not authentic: the page shows something else than the report in it');
  return proof;
}

const table = (title: string, head: readonly string[], rows: readonly (readonly string[])[]): string =>
  `<h1>${text(title)}</h1>
<table><tr>${head.map((one) => `<th>${text(one)}</th>`).join('')}</tr>
${rows.map((cells) => `<tr>${cells.map((cell) => `<td>${text(cell)}</td>`).join('')}</tr>`).join('\n')}
</table>`;
