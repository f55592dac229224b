import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from '@typescript/typescript6';
import { readPages } from '../../docs/.vitepress/site/pages.js';
import { blocksOf } from '../support/clients/page-code.js';

const root = join(import.meta.dirname, '../..');

/** A source text that users copy. */
interface Source {
  place: string;
  code: string;
}

const nameOf = (one: ts.Decorator) =>
  ts.isCallExpression(one.expression) ? one.expression.expression.getText().split('.').at(-1)! : '';
const decoratorsOf = (node: ts.Node) => (ts.canHaveDecorators(node) ? (ts.getDecorators(node) ?? []) : []);

/** Whether a route accepts requests without a user: the nearest declaration is `@OptionalAuth()`. */
function isOptionalRoute(method: ts.MethodDeclaration): boolean {
  const names = [method, method.parent].map((node) => decoratorsOf(node).map(nameOf));
  if (names.flat().some((name) => ['Roles', 'RequireAuth', 'UserRequired'].includes(name))) return false;
  const nearest = names.find((own) => own.some((name) => ['Scopes', 'AnyScope', 'OptionalAuth'].includes(name)));
  return nearest?.includes('OptionalAuth') ?? false;
}

const acceptsUndefined = ({ questionToken, type }: ts.ParameterDeclaration): boolean =>
  questionToken !== undefined || type === undefined || /\b(undefined|unknown|any)\b/.test(type.getText());

/** Returns the problem of a `@CurrentUser()` parameter, if its type does not match the route. */
function findProblem(parameter: ts.ParameterDeclaration, method: ts.MethodDeclaration): string | undefined {
  const decorator = decoratorsOf(parameter).find((one) => nameOf(one) === 'CurrentUser');
  if (!decorator) return undefined;
  const isExplicit = /optional: true/.test(decorator.getText());
  const isPublic = [method, method.parent].some((node) => decoratorsOf(node).map(nameOf).includes('Public'));
  if (isPublic && !isExplicit) return 'requires a user on a public route';
  const mayBeMissing = isExplicit || isOptionalRoute(method);
  if (mayBeMissing === acceptsUndefined(parameter)) return undefined;
  return mayBeMissing
    ? 'may be undefined, and its type lacks undefined'
    : 'is never undefined, and its type says it is';
}

/** Returns the wrongly typed `@CurrentUser()` parameters of a source, and the number of all of them. */
function inspect({ place, code }: Source): { problems: string[]; count: number } {
  const isPart = !/\bclass\b/.test(code);
  const file = ts.createSourceFile('x.ts', isPart ? `class Part { ${code} }` : code, ts.ScriptTarget.Latest, true);
  const problems: string[] = [];
  let count = 0;
  const visit = (node: ts.Node): void => {
    if (ts.isParameter(node) && ts.isMethodDeclaration(node.parent)) {
      if (decoratorsOf(node).some((one) => nameOf(one) === 'CurrentUser')) count++;
      const problem = findProblem(node, node.parent);
      if (problem) problems.push(`${place}: \`${node.getText()}\` ${problem}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { problems, count };
}

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const filesIn = (folder: string, pattern: RegExp): Source[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => pattern.test(path) && !/node_modules|dist/.test(path))
    .map((path) => ({ place: join(folder, path), code: read(join(folder, path)) }));

const sources: Source[] = [
  ...['README.md', ...readPages().map(({ path }) => `docs/${path}`)].flatMap((page) =>
    blocksOf(page, read(page)).map(({ line, code }) => ({ place: `${page}:${line}`, code })),
  ),
  ...filesIn('sample', /\.ts$/),
  ...filesIn('schematics', /\.ts\.txt$/).map(({ place, code }) => ({
    place,
    // The property with the name of a user.
    code: code.replaceAll('{{login}}', 'login'),
  })),
].filter(({ code }) => /^[^*/]*@CurrentUser\(/m.test(code));

describe('the @CurrentUser() parameters of pages, samples and templates', () => {
  it('have a type with undefined exactly if the user may be missing', () => {
    const results = sources.map(inspect);
    expect(results.flatMap(({ problems }) => problems)).toEqual([]);
    expect(sources.filter((_, index) => results[index]!.count === 0).map(({ place }) => place)).toEqual([]);
    for (const folder of ['README.md', 'docs/', 'sample/', 'schematics/']) {
      expect(sources.some(({ place }) => place.startsWith(folder))).toBe(true);
    }
  });

  it.each([
    ["@Get() @OptionalAuth() a(@CurrentUser('id') id: string) {}", 'may be undefined, and its type lacks undefined'],
    [
      "@Get() a(@CurrentUser('id', { optional: true }) id: string) {}",
      'may be undefined, and its type lacks undefined',
    ],
    ["@OptionalAuth() class A { @Get() a(@CurrentUser('id') id: string) {} }", 'may be undefined, and its type lacks'],
    ["@Get() a(@CurrentUser('id') id?: string) {}", 'is never undefined, and its type says it is'],
    ["@OptionalAuth() class A { @Scopes('x') a(@CurrentUser('id') id?: string) {} }", 'is never undefined'],
    [
      "@Public() class A { @Get() a(@CurrentUser('id') id: string | undefined) {} }",
      'requires a user on a public route',
    ],
  ])('are recognized if they are wrong: %s', (code, problem) => {
    expect(inspect({ place: 'page', code }).problems).toEqual([expect.stringContaining(problem)]);
  });
});
