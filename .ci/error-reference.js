// Writes docs/reference/errors.md and docs/reference/start-up-errors.md from the errors in the source and from
// error-texts.json. With --check, it fails if they differ. It always fails if an error has no text.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasFragments, readCatalog, readConfigurationErrors, readRefusals } from './error-source.js';

const root = join(import.meta.dirname, '..');
const read = (path) => readFileSync(join(root, path), 'utf8');
const { codes: texts, events, startUp } = JSON.parse(read('.ci/error-texts.json'));
const problems = [];

/** Whether a text is sent to the client. A reason in the log begins with a lower-case letter or a name. */
const isMessage = (text) => /^[A-Z]/.test(text);
const isTopic = (part) => typeof part !== 'string';

const catalog = new Map(readCatalog().map((entry) => [entry.error, entry]));
const codeOf = new Map([...catalog.values()].map(({ name, error }) => [name, error]));
// Refusals without a code, such as a wrong password, have a `title` instead.
for (const [code, { title }] of Object.entries(texts)) if (title) catalog.set(code, { error: code });

/** The errors by code and key, which is the reason in the log or, without a reason, the message. */
const entries = new Map([...catalog.keys()].map((code) => [code, new Map()]));
for (const { name, messages, reason, remedy } of readRefusals()) {
  const key = reason ?? messages[0];
  const code = codeOf.get(name);
  const codes = code ? [code] : Object.keys(texts).filter((one) => textOf(one, key) !== undefined);
  if (name === undefined && codes.length === 0 && !events.includes(key))
    problems.push(
      `error-texts.json lacks the reason "${key}": add it to its code, or to "events" if it refuses nothing`,
    );
  for (const one of codes) {
    const entry = entries.get(one).get(key) ?? { reason, remedy, messages: new Set() };
    for (const message of messages) entry.messages.add(message);
    entries.get(one).set(key, entry);
  }
}

/** The texts of a code by key. The other causes may be divided into topics. */
function textsOf(code) {
  const { frequent = {}, other = {} } = texts[code] ?? {};
  return Object.assign({}, frequent, other, ...Object.values(other).filter(isTopic));
}

function textOf(code, key) {
  const text = textsOf(code)[key];
  return typeof text === 'string' ? text : undefined;
}

for (const [code, { meaning }] of Object.entries(texts)) {
  if (!catalog.has(code)) problems.push(`error-texts.json has the unknown code "${code}"`);
  if (!meaning) problems.push(`error-texts.json has no "meaning" of "${code}"`);
  for (const key of Object.keys(textsOf(code)).filter((one) => textOf(code, one) !== undefined)) {
    if (entries.get(code)?.has(key)) continue;
    if (hasFragments(key))
      entries.get(code)?.set(key, { reason: isMessage(key) ? undefined : key, messages: new Set() });
    else problems.push(`error-texts.json has "${key}" of "${code}", which the source does not contain`);
  }
}
for (const [code, found] of entries) {
  if (!texts[code]) problems.push(`error-texts.json lacks the code "${code}"`);
  for (const [key, { remedy }] of found) {
    if (textOf(code, key) === undefined && (remedy === undefined || remedy.includes('…')))
      problems.push(`error-texts.json lacks "${key}" of "${code}": add what to do`);
  }
}

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
const cell = (text) => text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ');
const rowsOf = (...rows) => rows.map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');
const table = (head, rows) =>
  rowsOf(
    head,
    head.map(() => '---'),
    ...rows,
  );
const fixOf = (code, key, { remedy }) => textOf(code, key) ?? (remedy === undefined ? '' : sentence(remedy));
const clientText = ({ messages }) => [...messages].map((one) => `"${one}"`).join(' or ');

function frequentCause(code, key) {
  const entry = entries.get(code).get(key);
  const received = entry.reason && entry.messages.size > 0 ? `\n\nThe client receives ${clientText(entry)}.` : '';
  return `### ${key}\n\n${fixOf(code, key, entry)}${received}`;
}

/** Returns a table of causes. If all have the same message, the message comes before the table. */
function tableOf(code, keys) {
  const found = keys.map((key) => [key, entries.get(code).get(key)]);
  const messages = new Set(found.map(([, entry]) => (entry.reason ? clientText(entry) : '')));
  if (found.every(([, { reason }]) => !reason))
    return table(
      ['message', 'what to do'],
      found.map(([key, entry]) => [key, fixOf(code, key, entry)]),
    );
  if (found.every(([, { reason }]) => reason) && [...messages].filter(Boolean).length < 2) {
    const message = [...messages].find(Boolean);
    const rows = found.map(([key, entry]) => [key, fixOf(code, key, entry)]);
    return `${message ? `The client receives ${message}.\n\n` : ''}${table(['reason in the log', 'what to do'], rows)}`;
  }
  const rows = found.map(([key, entry]) => {
    const message = entry.reason ? [...entry.messages].join(' or ') : key;
    return [entry.reason ?? '', message, fixOf(code, key, entry)];
  });
  return table(['reason in the log', 'message', 'what to do'], rows);
}

/** Returns the keys of a code that are not frequent, by topic. The topic `''` has no name. */
function topicsOfCauses(code) {
  const { frequent = {}, other = {} } = texts[code];
  const rest = new Set([...entries.get(code).keys()].filter((key) => !Object.hasOwn(frequent, key)));
  const isFlat = Object.values(other).every((value) => typeof value === 'string');
  const topics = Object.entries(isFlat ? { '': other } : other).map(([topic, part]) => [topic, Object.keys(part)]);
  for (const key of topics.flatMap(([, keys]) => keys)) rest.delete(key);
  topics[0][1].push(...rest);
  return topics.filter(([, keys]) => keys.length > 0);
}

function sectionOf(code) {
  const { meaning, frequent = {}, title, specification = catalog.get(code).specification } = texts[code];
  const parts = [`## ${title ?? `\`${code}\``}`, `Status ${statusOf(code)}. ${specification}.`, meaning];
  const named = Object.keys(frequent);
  const topics = topicsOfCauses(code);
  if (named.length > 2 || topics.length > 0) parts.push(...named.map((key) => frequentCause(code, key)));
  else if (named.length > 0) parts.push(tableOf(code, named));
  for (const [topic, keys] of topics) {
    const of = title ? 'a refused sign-in' : `\`${code}\``;
    parts.push(`### Other causes of ${of}${topic === '' ? '' : `: ${String(topic)}`}`, tableOf(code, keys));
  }
  return parts.join('\n\n');
}

const statusOf = (code) => texts[code].status ?? String(catalog.get(code).status);

const errorsPage = () =>
  read('.ci/errors-head.md') +
  table(
    ['code', 'status', 'what it means'],
    Object.keys(texts)
      .filter((code) => !texts[code].title)
      .map((code) => [
        `[\`${code}\`](#${code})`,
        statusOf(code).replace(/;.*/, ''),
        /^.*?\.(?= |$)/.exec(texts[code].meaning)[0],
      ]),
  ) +
  `\n\n${Object.keys(texts).map(sectionOf).join('\n\n')}\n`;

/** Returns the topics of the start-up errors with their messages, sorted by the part of the package. */
function topicsOf() {
  const topics = startUp.topics.map(({ title, files }) => ({ title, files: new RegExp(files), messages: [] }));
  for (const { message, path } of readConfigurationErrors()) {
    if (new RegExp(startUp.omitted).test(path) || new RegExp(startUp.omittedMessages).test(message)) continue;
    const topic = topics.find(({ files }) => files.test(path));
    if (topic) topic.messages.push(message);
    else problems.push(`error-texts.json has no topic in "startUp" for ${path}`);
  }
  return topics;
}

/** A topic with more messages is divided by feature. */
const LONG_LIST = 60;

const featureOf = (message) => /`(\w+\(\))`/.exec(message)?.[0] ?? 'Several features';

const listOf = (messages) =>
  messages
    .filter((message) => !Object.hasOwn(startUp.frequent, message))
    .map((message) => `- ${message.replaceAll('\n', ' ')}`)
    .join('\n');

/** Returns the heading and the list of a topic. A long list is divided by feature. */
function partsOf({ title, messages }) {
  if (messages.length <= LONG_LIST) return [`## ${title}`, listOf(messages)];
  const features = new Map();
  for (const message of messages) {
    const name = featureOf(message);
    features.set(name, [...(features.get(name) ?? []), message]);
  }
  const names = [...features.keys()].toSorted((one, two) => one.localeCompare(two));
  return [`## ${title}`, ...names.map((name) => `### ${name}\n\n${listOf(features.get(name))}`)];
}

function startUpPage() {
  const topics = topicsOf();
  const all = topics.flatMap(({ messages }) => messages);
  const frequent = Object.entries(startUp.frequent);
  for (const [message] of frequent) {
    if (!all.includes(message) && !hasFragments(message))
      problems.push(`error-texts.json has the start-up error "${message}", which the source does not contain`);
  }
  return [
    read('.ci/start-up-errors-head.md').trimEnd(),
    '## Frequent errors',
    ...frequent.map(([message, text]) => `### ${message}\n\n${text}`),
    ...topics.flatMap(partsOf),
    '',
  ].join('\n\n');
}

const pages = { 'docs/reference/errors.md': errorsPage, 'docs/reference/start-up-errors.md': startUpPage };
const written = Object.entries(pages).map(([path, makePage]) => [path, makePage()]);
for (const [path, page] of problems.length === 0 ? written : []) {
  if (!process.argv.includes('--check')) writeFileSync(join(root, path), page);
  else if (page !== read(path))
    problems.push(`${path} differs from the errors in the source: run \`npm run docs:errors\`.`);
}
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
}
