/** The sections of the migration guides to which the command links, relative to the root of the repository. */
export const GUIDE = {
  checks: 'docs/guides/migrating.md#check-before-you-deploy',
  command: 'docs/guides/migrating.md#let-the-command-do-it',
  commonJs: 'docs/guides/migrating-code.md#commonjs-and-es-modules',
  express: 'docs/guides/migrating-express.md#middleware',
  koa: 'docs/guides/migrating-express.md#koa',
  nest: 'docs/guides/migrating-nest.md',
  scopes: 'docs/guides/migrating-code.md#scopes',
  typeScript: 'docs/guides/migrating-code.md#typescript',
  version2: 'docs/guides/migrating-version-2.md',
  version5: 'docs/guides/migrating.md#from-5x',
} as const;

/** A link to a section of the migration guides. */
export type GuideLink = (typeof GUIDE)[keyof typeof GUIDE];
