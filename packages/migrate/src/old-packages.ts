import { GUIDE, type GuideLink } from './guide.js';

/** How the command treats a package. `manual`: it only prints where the package is used. */
export type OldPackageKind = 'engine' | 'express' | 'nest' | 'manual';

/** A package from which the command migrates. */
export interface OldPackage {
  readonly kind: OldPackageKind;
  readonly link: GuideLink;
  /** The package whose major version determines the behavior. If omitted, it is the package itself. */
  readonly versionOf?: string;
  /** The first major version that the command rewrites. Older versions have the interface of `oauth2-server` 2.x. */
  readonly since?: number;
  /** The first major version with scopes as arrays. If omitted, scopes are strings in all versions. */
  readonly arraysSince?: number;
}

const ENGINE_5 = '@node-oauth/oauth2-server';
const wrapperOf3: OldPackage = { kind: 'nest', link: GUIDE.nest };
const separateServer: OldPackage = { kind: 'manual', link: GUIDE.nest };

/** The packages from which the command migrates, by name. */
export const OLD_PACKAGES: Readonly<Record<string, OldPackage>> = {
  'oauth2-server': { kind: 'engine', link: GUIDE.commonJs, since: 3 },
  [ENGINE_5]: { kind: 'engine', link: GUIDE.commonJs, arraysSince: 5 },
  'express-oauth-server': { kind: 'express', link: GUIDE.express, since: 2 },
  '@node-oauth/express-oauth-server': { kind: 'express', link: GUIDE.express, arraysSince: 4 },
  'koa-oauth-server': { kind: 'manual', link: GUIDE.koa },
  'nest-oauth2-server': { kind: 'nest', link: GUIDE.nest, versionOf: ENGINE_5, arraysSince: 5 },
  '@t00nday/nestjs-oauth2-server': wrapperOf3,
  '@killmenot/nestjs-oauth2-server': wrapperOf3,
  '@boyuai/nestjs-oauth2-server': wrapperOf3,
  '@nadir2k/nestjs-oauth2-server': wrapperOf3,
  '@webrsb/nestjs-oauth2-server': wrapperOf3,
  '@switchit/nestjs-oauth2-server': separateServer,
  'nestjs-oauth2-server': separateServer,
};

/** A module name that belongs to an old package, such as `oauth2-server/lib/request`. */
export interface OldModule {
  readonly name: string;
  readonly old: OldPackage;
  /** The path of the file inside of the package. Empty for the entry point. */
  readonly path: string;
}

/** Returns the old package and path of a module name, or `undefined` for other modules. */
export function oldModule(specifier: string): OldModule | undefined {
  const [, name = '', path = ''] = /^((?:@[^/]+\/)?[^/]+)(?:\/(.*))?$/.exec(specifier) ?? [];
  const old = Object.hasOwn(OLD_PACKAGES, name) ? OLD_PACKAGES[name] : undefined;
  return old && { name, old, path: path.replace(/\.js$/, '') };
}

const quoted = (name: string) => new RegExp(`(['"\`])(?:@types/)?${name.replaceAll('.', '\\.')}(?:/[^'"\`\\n]*)?\\1`);
const PATTERNS = Object.keys(OLD_PACKAGES).map((name) => [name, quoted(name)] as const);

/** Returns the old packages that a text names between quotes. Comments without quotes do not count. */
export const namedPackages = (text: string): readonly string[] =>
  PATTERNS.filter(([, pattern]) => pattern.test(text)).map(([name]) => name);
