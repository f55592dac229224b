/** A step of a page: a file to write, or commands to run and the output that the page shows. */
export interface PageStep {
  /** The line of the page that contains the code. */
  line: number;
  /** The path of the file. If omitted, `code` contains commands. */
  file?: string;
  code: string;
  /** The output after the commands, in which `…` stands for any text. */
  output?: { text: string; isJson: boolean };
}

/** The comment in the first line of a block that is a complete file. */
const FILE = /^(?:\/\/|#|<!--) ([\w./-]+\.\w+)(?: -->)?\n/;

/** Languages of files, and of outputs below commands. */
const FILES = new Set(['ts', 'js', 'html', 'json', 'prisma', 'yaml']);
const OUTPUTS = new Set(['text', 'json', 'http']);

/** Returns the steps of a page in their order. Other code blocks are left out. */
export function stepsOf(markdown: string): PageStep[] {
  const steps: PageStep[] = [];
  for (const { 1: indent, 2: language, 3: body, index } of markdown.matchAll(/^( *)```(\w+)\n(.*?)^\1```$/gms)) {
    const text = body!.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    const line = markdown.slice(0, index).split('\n').length + 1;
    const [comment, file] = FILE.exec(text) ?? [];
    const last = steps.at(-1);
    if (language === 'sh') steps.push({ line, code: text });
    else if (file && FILES.has(language!)) steps.push({ line, file, code: text.slice(comment!.length) });
    else if (OUTPUTS.has(language!) && last && !last.file && !last.output && isNext(markdown, last, index))
      last.output = { text, isJson: language === 'json' };
  }
  return steps;
}

/** Whether only an empty line is between the commands and the block at `index`. */
const isNext = (markdown: string, { line, code }: PageStep, index: number) =>
  markdown.slice(0, index).split('\n').length === line + code.split('\n').length + 1;

/** Returns the differences between the output of commands and the output in the page. */
export function compareOutput(printed: string, { text, isJson }: NonNullable<PageStep['output']>): string | undefined {
  if (isJson) {
    const differs = differsFrom(JSON.parse(printed), JSON.parse(text));
    return differs ? `printed ${printed}\ninstead of ${text}` : undefined;
  }
  const pattern = flat(text)
    .split('…')
    .map((part) => part.trim().replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('[^]*?');
  return new RegExp(pattern).test(flat(printed)) ? undefined : `printed ${printed}\ninstead of ${text}`;
}

const flat = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

/** Whether two JSON values differ. The text `…` stands for any text. */
function differsFrom(actual: unknown, expected: unknown): boolean {
  if (expected === '…') return typeof actual !== 'string';
  if (typeof expected !== 'object' || expected === null) return actual !== expected;
  if (typeof actual !== 'object' || actual === null) return true;
  const names = Object.keys(expected);
  if (names.length !== Object.keys(actual).length) return true;
  return names.some((name) => differsFrom((actual as never)[name], (expected as never)[name]));
}
