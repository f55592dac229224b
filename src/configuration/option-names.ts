import { removedOption, distance, nearestName } from '../../lib/internal.js';
import { type OptionSource, TABLES } from './option-table.js';

const NAMES: Record<OptionSource, string[]> = {
  forRoot: Object.keys(TABLES.forRoot),
  forRootAsync: Object.keys(TABLES.forRootAsync),
  factory: Object.keys(TABLES.factory),
};

/**
 * Returns an error message for the first unknown option name, or `undefined`. A misspelled option would otherwise keep
 * its default without notice.
 */
export function findUnknownName(options: object, source: OptionSource): string | undefined {
  const unknown = Object.keys(options).find((name) => !NAMES[source].includes(name));
  return unknown === undefined ? undefined : describe(unknown, source);
}

function describe(name: string, source: OptionSource): string {
  if (source === 'forRootAsync' && NAMES.factory.includes(name)) {
    return `the option \`${name}\` of OAuth2Module.forRootAsync() must be in the options that the factory returns`;
  }
  if (source === 'factory' && NAMES.forRootAsync.includes(name)) {
    return `the option \`${name}\` must be known before the factory runs: pass it to OAuth2Module.forRootAsync() next to the factory`;
  }
  const fate = removedOption(name);
  if (fate) return `the option \`${name}\` of oauth2-server 2.x has no effect (${fate})`;
  const nearest = nearestName(name, NAMES[source])!;
  // A known name that differs in more than half of the letters was probably not meant.
  const isNear = distance(name, nearest) <= name.length / 2;
  const hint = isNear ? `the most similar option is \`${nearest}\`` : 'docs/reference/options.md lists the options';
  return `unknown option \`${name}\` of OAuth2Module: ${hint}`;
}
