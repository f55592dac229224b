import { type Judge, observe, type Rule } from '../rule.js';
import type { DeploymentFacts } from './examine.js';
import type { Reply } from './send.js';

/** A rule that judges what a deployment answers from outside. */
export type DeploymentRule = Rule<DeploymentFacts>;

/** Judges each HTML page. */
export const perPage =
  (find: (page: Reply) => string | false): Judge<DeploymentFacts> =>
  ({ pages }) =>
    Object.entries(pages).flatMap(([name, page]) =>
      observe(`page:${name}`, String(page.headers['content-type']).includes('text/html') && find(page)),
    );

/** Returns the value of a header, or an empty text. */
export const header = ({ headers }: Reply, name: string): string => [headers[name] ?? ''].flat().join(', ');

/** Returns the members of the metadata whose names match. */
export const membersOf = ({ metadata }: DeploymentFacts, pattern: RegExp): [string, unknown][] =>
  Object.entries(metadata ?? {}).filter(([name]) => pattern.test(name));

/** Returns a member of the metadata as a list of texts. */
export const listOf = ({ metadata }: DeploymentFacts, name: string): readonly string[] =>
  [metadata?.[name] ?? []].flat().map(String);
