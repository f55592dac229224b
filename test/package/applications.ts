import { execFile } from 'node:child_process';
import { cp, mkdtemp, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

export const root = join(import.meta.dirname, '../..');
export const tarball = process.env['NEST_OAUTH2_TARBALL'] ?? 'nothing was packed';
export const workspace = dirname(tarball);

export const tool = (name: string) => join(root, 'node_modules/.bin', name);

/** Runs a command and returns its output. The message of a failure contains the output. */
export async function run(cwd: string, command: string, ...args: string[]): Promise<string> {
  const promise = promisify(execFile)(command, args, { cwd, maxBuffer: 1 << 26, env: process.env });
  const { stdout } = await promise.catch((error: Error & { stdout: string; stderr: string }) => {
    throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`);
  });
  return stdout;
}

/** Installs the tarball and `dependencies`, as a reader of the README does. */
export async function install(host: string, ...dependencies: string[]): Promise<void> {
  await run(host, 'npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', tarball, ...dependencies);
}

/** Creates a project with the tarball and `dependencies` installed. */
export async function freshApplication(...dependencies: string[]): Promise<string> {
  const folder = await mkdtemp(join(workspace, 'host-'));
  await cp(join(import.meta.dirname, 'host'), folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'host', private: true }));
  await install(folder, ...dependencies);
  return folder;
}

/** Creates a project with this version of the Nest CLI and installs the tarball and `dependencies`. */
export async function generatedApplication(
  version: string,
  name = `generated-${version}`,
  ...dependencies: string[]
): Promise<string> {
  const nest = ['--yes', '--prefer-offline', `@nestjs/cli@${version}`];
  await run(workspace, 'npx', ...nest, 'new', name, '--skip-install', '--skip-git', '--package-manager', 'npm');
  const folder = join(workspace, name);
  await install(folder, ...dependencies);
  return folder;
}

/** Copies a TypeScript file to one of each module format. Returns the names of the copies. */
export async function copiesOf(host: string, name: string): Promise<string[]> {
  const copies = ['mts', 'cts'].map((format) => `${name}.${format}`);
  for (const copy of copies) await cp(join(host, `${name}.ts`), join(host, copy));
  return copies;
}
