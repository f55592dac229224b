// Measures how plainly the project is written: phrases that readers stumble over, per 1,000 words of comments, messages, documents and
// test titles. Also checks commit subjects. `npm run lint` fails if a kind of text exceeds the limit.
//   node .ci/prose.js [--list] [file or folder ...]
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import jsTokens from 'js-tokens';

const LIMIT = 1;
const ROOTS = ['lib', 'src', 'sample', 'bench', 'conformance', 'test', 'docs', '.ci', '.github'];
const FILES = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CODE_OF_CONDUCT.md',
  'jest.config.js',
  'rolldown.config.js',
];

/** Longest acceptable sentence in words. The style asks for 25; longer ones with code or a list may be readable. */
const MAX_WORDS = 45;

/** Commits before this one have their own style. */
const FIRST_COMMIT = 'dfb23f3';

const PROSE = ['comments', 'documents'];

/** What each rule finds, and what to write instead. Without `kinds`, a rule applies to all texts. */
const RULES = [
  {
    name: 'no subject',
    kinds: PROSE,
    pattern:
      /^(?:What|Who|Whom|Whose|Those|That which|One (?:that|who)|None|Nobody|Anybody|Somebody|Whoever|Whatever|Wherever)\b(?!.*\?$)/,
    advice: 'begin with a noun',
  },
  {
    name: 'preposition first',
    kinds: PROSE,
    pattern: /^(?:Of|Among|(?:By|For|To|From|With|In) (?:whom?|which|whose|what)|By what)\b/,
    advice: 'begin with the subject',
  },
  {
    name: 'back-reference',
    kinds: PROSE,
    pattern: /^(?:The same|And|Nor|This one|That one|Such|So (?:is|are|does|do))\b/,
    advice: 'repeat the noun: a hover shows this text alone',
  },
  {
    name: 'question',
    kinds: PROSE,
    pattern: /^(?:Is|Are|Does|Do|Did|Has|Have|May|Can|Was|Were|Will)\b.*\?$/,
    advice: 'write "Whether …"',
  },
  { name: 'left out', pattern: /\bleft out:/i, advice: 'write "If omitted, …"' },
  {
    name: 'none',
    pattern: /\b(?:that|which|it|this|there|what|who) (?:is|are|was|were|has|have) none\b|\bwithout any that\b/i,
    advice: 'say what is missing or invalid',
  },
  {
    name: 'telling',
    pattern:
      /\b(?:says so|(?:is|are) told|hears? (?:of|at once|what|why)|to hear of|tells so|(?:is|are) said|what is said|said of)\b/i,
    advice: 'write returns, reports, declares or documents',
  },
  {
    name: 'good',
    pattern:
      /\b(?:is|are) good (?:once|for|so|as|only|until|while|then)\b|\bgood (?:values?|ones|token|for once)\b|\bno good\b/i,
    advice: 'write valid or single-use',
  },
  {
    name: 'pronoun as a noun',
    pattern:
      /\b(?:by|for|to|of|from|with|in|at|and|or|that|than|because|since|but|as) (?:what|whoever|whatever|who) (?:is|are|has|have|was|were|comes?|asks?|brings?|wants?|knows?|stands?|holds?|sends?|reads?|makes?)\b|\bwhat (?:is|are|was|has|it|they|else|more|of)\b(?!.*\?$)/i,
    advice: 'name the thing',
  },
  {
    name: 'standing',
    pattern: /\bst(?:ands?|ood) (?:in|at|under|behind|beside|before|around|above|between|there|here|twice|once|so)\b/i,
    advice: 'write is in, is listed in or runs before',
  },
  {
    name: 'private word',
    pattern:
      /\b(?:beside|lest|be it|nought|naught|thereof|wherein|whereby|herein|dear(?:er|est)?|mend(?:s|ed|ing)?|nobody(?:'s)?|somebody|anybody|everybody|whoever|at hand|anew|belongs? to nobody|lives? apart|drawers?|the door|rooms?|excuse[ds]?|hereby|thereby|whom|owes?)\b/i,
    advice: 'use the plain word',
  },
  {
    name: 'so many',
    pattern: /\b(?:so many|that many|no more than a|and no more|any more than)\b/i,
    advice: 'give the limit',
  },
  {
    name: 'inversion',
    pattern:
      /\b(?:nor|neither)\b.*\b(?:is|are|does|do)\b|\bnot so\b|\bso (?:is|are|does|do|did)\b|\bwhere (?:it|they|that|this) (?:is|are|does|do) not\b/i,
    advice: 'write one statement per sentence',
  },
  {
    name: 'over',
    pattern:
      /\b(?:is|are) over\b|\b(?:it|that|this|which|who) (?:is|are) no(?! longer| more than)\b|\bspen(?:ds?|t)\b/i,
    advice: 'write expired, revoked, consumed or used',
  },
  {
    name: 'comes of',
    pattern: /\b(?:what|it|that) comes (?:of|by|from|with)\b|\bgoes by\b|\bcomes? (?:again|twice)\b/i,
    advice: 'write results from, depends on or is replayed',
  },
  { name: 'tracker', pattern: /\bissues? \d+\b|(?:^|\s)#\d+\b/i, advice: 'cite the specification instead' },
  {
    name: 'long sentence',
    kinds: ['comments'],
    test: (sentence) => sentence.split(/\s+/).length > MAX_WORDS,
    advice: `write at most ${MAX_WORDS} words, better 25`,
  },
];

/** Verbs in the imperative that end like a third person or a past form. */
const IMPERATIVE =
  /^(?:address|process|pass|access|express|suppress|compress|discuss|focus|bypass|bless|guess|press|miss|bias|embed|need|feed|speed|seed|bring|string)$/;

/** Sentences without code and link targets. */
function* sentencesOf(text) {
  const prose = text
    .replace(/```[\s\S]*?```/g, ' ')
    .replace(/`[^`]*`/g, 'x')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\{@link (\S+?)\}/g, '$1');
  for (const part of prose.split(
    /(?<=[.;:?!])\s+(?=[A-Z@])|\n\s*\n|\s+(?=@(?:param|returns|throws|see|deprecated|default|example)\b)/,
  )) {
    const sentence = part
      .replace(/\s+/g, ' ')
      .replace(/^\s*@\w+\s*(?:\{[^}]*\}\s*)?/, '')
      .trim();
    if (/[a-z]{2}/.test(sentence)) yield sentence;
  }
}

/** Comments, messages and test titles of a source file. */
function* textsOfCode(source, isTest) {
  let line = 1;
  let comment;
  let before = [];
  const depth = [];
  for (const token of jsTokens(source)) {
    const { type, value } = token;
    if (comment && !(type === 'WhiteSpace' || type === 'LineTerminatorSequence' || type === 'SingleLineComment')) {
      yield comment;
      comment = undefined;
    }
    if (type === 'MultiLineComment') {
      yield { kind: 'comments', line, text: value.replace(/^\/\*+|\*+\/$/g, '').replace(/^[ \t]*\* ?/gm, '') };
    } else if (type === 'SingleLineComment') {
      const text = value.slice(2);
      if (!/^\s*(?:oxlint|eslint|@ts-|prettier|#)/.test(text)) {
        if (comment?.last === line - 1) comment = { ...comment, text: `${comment.text}\n${text}`, last: line };
        else {
          if (comment) yield comment;
          comment = { kind: 'comments', line, text, last: line };
        }
      }
    } else if (type === 'StringLiteral' || type === 'NoSubstitutionTemplate') {
      yield* literal(value.slice(1, -1), line);
    } else if (type === 'TemplateHead') {
      depth.push({ text: value.slice(1, -2), line });
    } else if (type === 'TemplateMiddle' && depth.length > 0) {
      depth.at(-1).text += `x${value.slice(1, -2)}`;
    } else if (type === 'TemplateTail' && depth.length > 0) {
      const template = depth.pop();
      yield* literal(`${template.text}x${value.slice(1, -1)}`, template.line);
    }
    if (!/^(?:WhiteSpace|LineTerminatorSequence|.*Comment)$/.test(type)) before = [...before.slice(-60), value];
    line += value.split('\n').length - 1;
  }
  if (comment) yield comment;

  function* literal(raw, at) {
    const text = raw.replace(/\\n/g, ' ').replace(/\\/g, '');
    const isTitle = isTest && before.at(-1) === '(' && isTestCall(before);
    if (isTitle) yield { kind: 'titles', line: at, text };
    else if (!isTest && isSentence(text)) yield { kind: 'messages', line: at, text };
  }
}

/** Whether the tokens end in `it(`, `it.each(…)(` or another call that takes a title. */
function isTestCall(tokens) {
  let index = tokens.length - 2;
  if (tokens[index] === ')') {
    for (let open = 0; index >= 0; index--) {
      if (tokens[index] === ')') open++;
      if (tokens[index] === '(' && --open === 0) break;
    }
    if (index <= 0) return true;
    index--;
  }
  while (tokens[index - 1] === '.') index -= 2;
  return /^(?:it|test|describe)$/.test(tokens[index] ?? '');
}

const isSentence = (text) =>
  text.split(/\s+/).filter((word) => /^[A-Za-z',.:;()]+$/.test(word)).length >= 4 && !/[<>{}=]/.test(text);

/** Paragraphs, list items and table cells of a document. */
function* textsOfDocument(source) {
  let isCode = false;
  let paragraph;
  for (const [index, raw] of source.split('\n').entries()) {
    const isFence = /^\s*(?:```|~~~)/.test(raw);
    const isBreak = isFence || isCode || /^\s*(?:$|#|\||<|[-*>] |\d+\. )/.test(raw);
    if (paragraph && isBreak) {
      yield paragraph;
      paragraph = undefined;
    }
    if (isFence) isCode = !isCode;
    else if (isCode || /^\s*(?:#|$)/.test(raw) || /^\s*(?:\||:?-+:?\s*)+$/.test(raw)) continue;
    else if (/^\s*\|/.test(raw)) for (const text of raw.split('|')) yield { kind: 'documents', line: index + 1, text };
    else {
      const text = raw.replace(/^\s*(?:(?:[-*>]|\d+\.) )+/, '');
      if (paragraph) paragraph.text += `\n${text}`;
      else paragraph = { kind: 'documents', line: index + 1, text };
    }
  }
  if (paragraph) yield paragraph;
}

const git = (...args) =>
  execFileSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 26, stdio: ['ignore', 'pipe', 'ignore'] });

/** Subjects of commits that are not conventional, imperative and short. */
function findSubjects() {
  let log;
  try {
    log = git('log', '--no-merges', '--format=%h %s', `${FIRST_COMMIT}..HEAD`);
  } catch {
    console.log('The commit subjects were not checked: the history is not here.');
    return [];
  }
  return log.split('\n').flatMap((entry) => {
    if (entry === '') return [];
    const [hash] = entry.split(' ', 1);
    const subject = entry.slice(hash.length + 1);
    const [, verb] = /^[a-z]+(?:\([\w., /-]+\))?!?: ([A-Za-z]+)/.exec(subject) ?? [];
    if (subject.length > 72) return [`${hash} longer than 72 characters: ${subject}`];
    if (verb === undefined) return [`${hash} not of the form type(scope): subject: ${subject}`];
    return /(?:s|ed|ing)$/.test(verb) && !IMPERATIVE.test(verb) ? [`${hash} not imperative: ${subject}`] : [];
  });
}

const isListed = process.argv.includes('--list');
const roots = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const files = git('ls-files', ...(roots.length > 0 ? roots : [...ROOTS, ...FILES]))
  .split('\n')
  .filter((file) => /\.(?:ts|js|mjs|md)$/.test(file) && file !== '.ci/prose.js' && existsSync(file));

const words = { comments: 0, messages: 0, documents: 0, titles: 0 };
const hits = [];
for (const file of files) {
  const source = readFileSync(file, 'utf8');
  const texts = file.endsWith('.md') ? textsOfDocument(source) : textsOfCode(source, file.endsWith('spec.ts'));
  for (const { kind, line, text } of texts) {
    for (const sentence of sentencesOf(text)) {
      words[kind] += sentence.split(/\s+/).length;
      for (const { name, kinds, pattern, test, advice } of RULES) {
        if (kinds && !kinds.includes(kind)) continue;
        if (pattern ? pattern.test(sentence) : test(sentence))
          hits.push({ kind, place: `${file}:${line}`, name, advice, sentence });
      }
    }
  }
}

for (const [kind, count] of Object.entries(words)) {
  const found = hits.filter((hit) => hit.kind === kind);
  const rate = (found.length / Math.max(count, 1)) * 1000;
  console.log(`${kind}: ${found.length} in ${count} words, ${rate.toFixed(1)} per 1,000 (limit ${LIMIT})`);
  if (rate > LIMIT) process.exitCode = 1;
  if (!isListed && rate <= LIMIT) continue;
  for (const { place, name, advice, sentence } of found)
    console.log(`  ${place} [${name}: ${advice}] ${sentence.slice(0, 140)}`);
}

const subjects = roots.length > 0 ? [] : findSubjects();
for (const subject of subjects) console.log(`commit ${subject}`);
if (subjects.length > 0) process.exitCode = 1;
