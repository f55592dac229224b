import { beforeAll, describe, expect, it } from '@jest/globals';
import { root, run } from './applications.js';

interface Release {
  manifest: Record<string, unknown>;
  changelog: string;
  changes: string;
  head: string;
  tagged: string;
}

const manifest = {
  version: '1.2.3',
  publishConfig: { access: 'public', provenance: true },
  repository: { type: 'git', url: 'git+https://git.example/nest-oauth2.git' },
};
const changelog = '# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-01-31\n\n- A fix.\n\n## [1.2.2] - 2026-01-01\n';
const release: Release = { manifest, changelog, changes: '', head: 'a1b2c3', tagged: '' };

describe('the checks of a release', () => {
  let problemsOf: (release: Release) => string[];

  beforeAll(async () => {
    const { href } = new URL('../../.ci/release-checks.js', import.meta.url);
    ({ problemsOf } = (await import(href)) as { problemsOf: typeof problemsOf });
  });

  it('accept a version with a dated section in the changelog', () => {
    expect(problemsOf(release)).toEqual([]);
  });

  it('accept the commit with the tag of the version', () => {
    expect(problemsOf({ ...release, tagged: release.head })).toEqual([]);
  });

  it.each<[problem: string, change: Partial<Release>]>([
    ['is not a semantic version', { manifest: { ...manifest, version: '1.2' } }],
    ['has no section `## [1.2.3] - <date>`', { changelog: changelog.replace('[1.2.3]', '[1.2.4]') }],
    ['has no date', { changelog: changelog.replace('2026-01-31', 'soon') }],
    ['is empty', { changelog: changelog.replace('- A fix.', '') }],
    ['working tree has changes', { changes: ' M package.json' }],
    ['tag v1.2.3 is on another commit', { tagged: 'd4e5f6' }],
    ['`private` is set', { manifest: { ...manifest, private: true } }],
    ['`publishConfig.access` must be "public"', { manifest: { ...manifest, publishConfig: { provenance: true } } }],
    ['`publishConfig.provenance` must be true', { manifest: { ...manifest, publishConfig: { access: 'public' } } }],
    ['`repository.url` is missing', { manifest: { ...manifest, repository: undefined } }],
    ['`dependencies` must be empty', { manifest: { ...manifest, dependencies: { lodash: '4' } } }],
  ])('report: %s', (problem, change) => {
    const problems = problemsOf({ ...release, ...change });
    expect(problems.filter((one) => one.includes(problem))).toHaveLength(1);
  });

  it('reject unknown options before anything is packed', async () => {
    await expect(run(root, 'node', '.ci/release.js', '--dryrun')).rejects.toThrow('Unknown options: --dryrun');
  });
});
