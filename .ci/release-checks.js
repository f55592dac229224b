const VERSION = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Returns the date and the text of the section of the changelog for `version`. */
function entryOf(changelog, version) {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((one) => one.startsWith(`[${version}]`));
  if (section === undefined) return undefined;
  const [title, ...lines] = section.split('\n');
  return { date: title.slice(`[${version}]`.length).replace(/^ - /, ''), text: lines.join('\n').trim() };
}

function problemsOfChangelog(changelog, version) {
  const entry = entryOf(changelog, version);
  if (!entry) return [`CHANGELOG.md has no section \`## [${version}] - <date>\`. Rename \`## [Unreleased]\`.`];
  return [
    ...(DATE.test(entry.date) ? [] : [`CHANGELOG.md: the section of ${version} has no date, such as 2026-01-31.`]),
    ...(entry.text === '' ? [`CHANGELOG.md: the section of ${version} is empty.`] : []),
  ];
}

/** npm refuses provenance statements of packages that are private or name no repository. */
function problemsOfManifest({ private: isPrivate, publishConfig, repository, dependencies = {} }) {
  const url = typeof repository === 'string' ? repository : repository?.url;
  return [
    ...(isPrivate ? ['package.json: `private` is set. Remove it.'] : []),
    ...(publishConfig?.access === 'public' ? [] : ['package.json: `publishConfig.access` must be "public".']),
    ...(publishConfig?.provenance === true ? [] : ['package.json: `publishConfig.provenance` must be true.']),
    ...(url ? [] : ['package.json: `repository.url` is missing. npm compares it with the provenance statement.']),
    ...Object.keys(dependencies).map((name) => `package.json: \`dependencies\` must be empty. It has ${name}.`),
  ];
}

/**
 * Returns a sentence for each problem of a release, besides those of the tarball. `changes` is the output of
 * `git status --porcelain`, and `tagged` is the commit with the tag of the version, or an empty string.
 */
export function problemsOf({ manifest, changelog, changes, head, tagged }) {
  const { version } = manifest;
  return [
    ...(VERSION.test(version) ? [] : [`package.json: "${version}" is not a semantic version, such as 1.2.3.`]),
    ...(changes === '' ? [] : [`The working tree has changes. Commit them first:\n${changes}`]),
    ...(tagged === '' || tagged === head ? [] : [`The tag v${version} is on another commit. Increase the version.`]),
    ...problemsOfChangelog(changelog, version),
    ...problemsOfManifest(manifest),
  ];
}
