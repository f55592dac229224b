import { removedOption } from '../../lib/adapter/index.js';
import { distance, nearestName } from './nearest-name.js';
import { type OptionSource, TABLES } from './option-table.js';

const NAMES: Record<OptionSource, string[]> = {
  forRoot: Object.keys(TABLES.forRoot),
  forRootAsync: Object.keys(TABLES.forRootAsync),
  factory: Object.keys(TABLES.factory),
};

/** Finds a name that nobody reads: a misspelt option would silently keep its default. */
export function findUnknownName(options: object, source: OptionSource): string | undefined {
  const unknown = Object.keys(options).find((name) => !NAMES[source].includes(name));
  return unknown === undefined ? undefined : describe(unknown, source);
}

function describe(name: string, place: OptionSource): string {
  if (place === 'forRootAsync' && NAMES.factory.includes(name)) {
    return `the option \`${name}\` of OAuth2Module.forRootAsync() belongs into what the factory returns`;
  }
  if (place === 'factory' && NAMES.forRootAsync.includes(name)) {
    return `the option \`${name}\` must be known at once: give it to OAuth2Module.forRootAsync() beside the factory`;
  }
  const fate = removedOption(name);
  if (fate) return `the option \`${name}\` of oauth2-server 2.x has no effect (${fate})`;
  const nearest = nearestName(name, NAMES[place])!;
  // What shares less than half of its letters was not meant.
  const isNear = distance(name, nearest) <= name.length / 2;
  const hint = isNear ? `the nearest known one is \`${nearest}\`` : 'docs/options.md lists those that there are';
  return `unknown option \`${name}\` of OAuth2Module; ${hint}`;
}
