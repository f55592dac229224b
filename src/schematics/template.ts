import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/** The folder of the templates, seen from the sources and from the bundle. */
const TEMPLATES = join(import.meta.dirname, '../../schematics/templates');

/** The conditions and values to which a template can refer. */
export interface TemplateValues {
  /** The conditions of `//#if` that are true. */
  flags: ReadonlySet<string>;
  /** The values of `{{name}}`. */
  values: Readonly<Record<string, string>>;
}

/** Returns whether a condition such as `typeorm && !sqlite || redis` is true. */
function isTrue(condition: string, flags: ReadonlySet<string>): boolean {
  const holds = (term: string) => (term.startsWith('!') ? !flags.has(term.slice(1)) : flags.has(term));
  return condition.split(' || ').some((all) => all.split(' && ').every((term) => holds(term.trim())));
}

/** Replaces `{{name}}` by its value. */
function fill(text: string, values: TemplateValues['values']): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`The template uses {{${name}}}, which has no value.`);
    return value;
  });
}

/** Renders a template: keeps the lines whose `//#if`, `//#else` and `//#end` hold, and fills in the values. */
export function render(template: string, { flags, values }: TemplateValues): string {
  const open: boolean[] = [];
  const lines = template.split('\n').filter((line) => {
    const [, directive, condition] = /^\s*\/\/#(if|else|end) ?(.*)$/.exec(line) ?? [];
    if (directive === 'if') open.push(isTrue(condition!, flags));
    else if (directive === 'else') open.push(!open.pop());
    else if (directive === 'end') open.pop();
    return directive === undefined && !open.includes(false);
  });
  return fill(lines.join('\n'), values);
}

/** Renders all templates of a folder. Returns the texts by their paths, which may contain `{{name}}` too. */
export function renderFolder(folder: string, context: TemplateValues): Map<string, string> {
  const root = join(TEMPLATES, folder);
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.txt'));
  return new Map(
    names.toSorted().flatMap((name) => {
      const text = render(readFileSync(join(root, name), 'utf8'), context);
      // A template without any remaining line is not part of this application.
      return text.trim() === '' ? [] : [[fill(name.slice(0, -4), context.values).split(sep).join('/'), text] as const];
    }),
  );
}
