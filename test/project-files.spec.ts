import { execFile } from 'node:child_process';
import { accessSync, constants, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';

import { REDIS_URL_BY_DEFAULT } from './support/environment/redis-url.js';
import { SERVERS } from './stores/typeorm-databases.js';
import { findWorkflowErrors, parseYaml } from './support/project-files/project-file-parsers.js';
import * as schemas from './support/project-files/project-file-schemas.js';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const readYaml = (path: string): unknown => parseYaml(read(path));
const filesIn = (folder: string) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);

const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
const workflows = filesIn('.github/workflows');

interface Service {
  image: string;
  env?: Record<string, string>;
  ports: string[];
  options: string;
}

interface Workflow {
  permissions?: Record<string, string>;
  jobs: Record<
    string,
    {
      uses?: string;
      permissions?: Record<string, string>;
      services?: Record<string, Service>;
      steps?: { uses?: string; run?: string; with?: Record<string, unknown> }[];
    }
  >;
}

const workflow = (file: string) => readYaml(file) as Workflow;
const jobsOf = (file: string) => Object.values(workflow(file).jobs);
const stepsOf = (file: string) => jobsOf(file).flatMap(({ steps }) => steps ?? []);

/**
 * Returns whether a shell command is a script of `package.json`, with or without arguments, an executable file in `.ci`,
 * `npm ci`, or the installation of a tool that CONTRIBUTING.md names.
 */
function isKnownScript(command: string): boolean {
  if (/^npm ci( --ignore-scripts)?$/.test(command)) return true;
  // Large tools of the weekly checks. CONTRIBUTING.md names the same commands.
  if (/^npm install --no-save [@/\w. -]+$/.test(command)) return read('CONTRIBUTING.md').includes(command);
  const [, ofNpm] = /^npm (?:run )?([\w:-]+)(?: -- [\w=${}. -]+)?$/.exec(command) ?? [];
  if (ofNpm !== undefined) return (ofNpm === 'test' || command.startsWith('npm run ')) && ofNpm in scripts;
  if (!/^\.ci\/[\w-]+$/.test(command)) return false;
  try {
    accessSync(join(root, command), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

describe.each(workflows)('the workflow %s', (file) => {
  it('is valid for GitHub Actions, including its expressions', async () => {
    expect(await findWorkflowErrors(file, read(file))).toEqual([]);
  });

  it('runs only scripts that exist and that can be run by hand', () => {
    const commands = stepsOf(file).flatMap(({ run }) => run?.trim().split('\n') ?? []);
    expect(commands.length).toBeGreaterThan(0);
    expect(commands.filter((command) => !isKnownScript(command))).toEqual([]);
  });

  it('uses only actions of GitHub, pinned to a major version, and reusable workflows that exist', () => {
    const actions = stepsOf(file).flatMap(({ uses }) => uses ?? []);
    expect(actions.filter((action) => !/^actions\/[\w-]+@v\d+$/.test(action))).toEqual([]);
    const called = jobsOf(file).flatMap(({ uses }) => uses ?? []);
    expect(called.filter((path) => !workflows.includes(normalize(path)))).toEqual([]);
  });

  it('has read access to the source only, plus an identity token for the release, and uses no secret', () => {
    expect(workflow(file).permissions).toEqual({ contents: 'read' });
    const given = jobsOf(file).flatMap(({ permissions }) => (permissions ? [permissions] : []));
    expect(given).toEqual(file.endsWith('/release.yml') ? [{ contents: 'read', 'id-token': 'write' }] : []);
    expect(read(file)).not.toMatch(/secrets\b/);
    const checkouts = stepsOf(file).filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([]);
  });

  it('starts the same servers as compose.yaml', () => {
    const expected = Object.entries(schemas.compose.parse(readYaml('compose.yaml')).services).map(([name, one]) => ({
      name,
      image: one.image,
      env: one.environment,
      ports: one.ports?.map((port) => port.replace('127.0.0.1:', '')),
      options: `--health-cmd "${one.healthcheck?.test}" --health-interval 2s --health-retries 30`,
    }));
    const described = (name: string, { image, env, ports, options }: Service) => ({ name, image, env, ports, options });
    for (const { services } of jobsOf(file)) {
      if (!services) continue;
      expect(Object.entries(services).map(([name, one]) => described(name, one))).toEqual(expected);
    }
  });
});

describe('the scripts of package.json', () => {
  /** Whether a command, or the first script that it runs, checks that the packages are installed. */
  const checks = (command: string): boolean => {
    const [, script] = /^npm (?:run )?([\w:-]+)/.exec(command) ?? [];
    return script === undefined
      ? /^node (?:--import \.\/)?\.ci\/installed\.js\b/.test(command)
      : checks(scripts[script]!);
  };

  it('check that the packages are installed, except for those that need none', () => {
    const others = Object.keys(scripts).filter((name) => !checks(scripts[name]!));
    expect(others).toEqual(['start', 'clean']);
  });

  it.each(['test', 'lint', 'docs:errors'])('say how to install the packages: npm run %s', async (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'nest-oauth2-scripts-'));
    cpSync(join(root, '.ci'), join(folder, '.ci'), { recursive: true });
    cpSync(join(root, 'package.json'), join(folder, 'package.json'));
    const error: unknown = await promisify(execFile)('npm', ['run', '--silent', name], { cwd: folder }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code: 1, stderr: 'Run `npm ci` first.\n' });
    rmSync(folder, { recursive: true });
  });
});

describe('the project files', () => {
  const forms = filesIn('.github/ISSUE_TEMPLATE').filter((path) => !path.endsWith('/config.yml'));

  it.each([
    ...forms.map((path) => [path, schemas.issueForm] as const),
    ['.github/ISSUE_TEMPLATE/config.yml', schemas.issueChooser] as const,
    ['.github/dependabot.yml', schemas.dependabot] as const,
    ['compose.yaml', schemas.compose] as const,
    ['.devcontainer/compose.yaml', schemas.compose] as const,
    ['.devcontainer/devcontainer.json', schemas.devContainer] as const,
  ])('contain a valid %s', (path, schema: z.ZodType) => {
    const { error } = schema.safeParse(readYaml(path));
    expect(error && z.prettifyError(error)).toBeUndefined();
  });

  it('ask for a private report of a vulnerability in each issue form', () => {
    expect(forms).toHaveLength(2);
    expect(forms.filter((path) => !/vulnerability/.test(read(path)))).toEqual([]);
  });

  it('let Dependabot update each package.json of the repository', () => {
    const { updates } = schemas.dependabot.parse(readYaml('.github/dependabot.yml'));
    const folders = updates
      .filter((one) => one['package-ecosystem'] === 'npm')
      .flatMap(({ directory, directories }) => directories ?? [directory!])
      .flatMap((pattern) => (pattern === '/sample/*' ? filesIn('sample').map((path) => `/${path}`) : [pattern]))
      .filter((folder) => existsSync(join(root, folder, 'package.json')));
    const all = ['/', '/.ci/api', '/bench', ...filesIn('sample').map((path) => `/${path}`)];
    expect(folders.toSorted()).toEqual(all.filter((path) => existsSync(join(root, path, 'package.json'))).toSorted());
  });

  it('start in Compose the servers that the tests use by default and that CONTRIBUTING.md lists', () => {
    const { services } = schemas.compose.parse(readYaml('compose.yaml'));
    const portOf = (name: string) => Number(services[name]?.ports?.[0]?.split(':')[1]);
    const urls = {
      postgres: `postgres://postgres@127.0.0.1:${portOf('postgres')}/${services['postgres']?.environment?.['POSTGRES_DB']}`,
      mariadb: `mysql://root@127.0.0.1:${portOf('mariadb')}/${services['mariadb']?.environment?.['MARIADB_DATABASE']}`,
      redis: `redis://127.0.0.1:${portOf('redis')}`,
    };
    const byDefault = Object.fromEntries(SERVERS.map(({ type, url }) => [type, url]));
    expect(urls).toEqual({ ...byDefault, redis: REDIS_URL_BY_DEFAULT });
    const rows = Object.entries(services).map(([name, { image }]) => [name, image, urls[name as keyof typeof urls]]);
    const documented = [...read('CONTRIBUTING.md').matchAll(/^\| `(\w+)`\s+\| `(\w+:[\d.]+)`\s+\| `([^`]+)`/gm)];
    expect(documented.map(([, ...row]) => row)).toEqual(rows);
  });

  it('give the development container the addresses of the servers in Compose', () => {
    const servers = schemas.compose.parse(readYaml('compose.yaml')).services;
    const { workspace } = schemas.compose.parse(readYaml('.devcontainer/compose.yaml')).services;
    const named = Object.values(workspace!.environment!).map((url) => new URL(url).hostname);
    expect(named).toEqual(Object.keys(servers));
    expect(Object.keys(workspace!.depends_on!)).toEqual(Object.keys(servers));
    expect(Object.keys(workspace!.environment!)).toEqual([...SERVERS.map(({ variable }) => variable), 'REDIS_URL']);
    const onLoopback = (url: string) => Object.assign(new URL(url), { hostname: '127.0.0.1' }).href;
    expect(Object.values(workspace!.environment!).map(onLoopback)).toEqual(
      [...SERVERS.map(({ url }) => url), REDIS_URL_BY_DEFAULT].map((url) => new URL(url).href),
    );
  });

  it('let the development container find its files, service, folder and Node.js version', () => {
    const settings = schemas.devContainer.parse(readYaml('.devcontainer/devcontainer.json'));
    const files = settings.dockerComposeFile.map((path) => normalize(join('.devcontainer', path)));
    expect(files).toEqual(['compose.yaml', '.devcontainer/compose.yaml']);
    const services = files.map((path) => schemas.compose.parse(readYaml(path)).services);
    const service = services.map((one) => one[settings.service]).find((one) => one !== undefined);
    expect(service?.volumes).toEqual([`.:${settings.workspaceFolder}`]);
    expect(/:(\d+)-/.exec(service!.image)?.[1]).toBe(read('.nvmrc').trim());
    expect(settings.postCreateCommand.split(' && ').filter((command) => !isKnownScript(command))).toEqual([]);
  });

  it('are left out of the npm package', async () => {
    const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: root,
      maxBuffer: 1 << 26,
    });
    const packed = (JSON.parse(stdout) as { files: { path: string }[] }[])[0]!.files.map(({ path }) => path);
    expect(packed).toContain('package.json');
    const allowed = /^(?:dist\/|docs\/|schematics\/|(?:package\.json|README\.md|CHANGELOG\.md|LICENSE)$)/;
    expect(packed.filter((path) => !allowed.test(path))).toEqual([]);
  });
});
