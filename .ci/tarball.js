// Checks a packed tarball: `node .ci/tarball.js nest-oauth2-1.2.3.tgz` prints what is wrong with it.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';

/** The maximum sizes in bytes. The unpacked size is the sum of all files, as npm prints it. */
export const LIMITS = { packed: 1_350_000, unpacked: 5_500_000 };

/** The files of the tarball besides those that the entries of `package.json` name. */
const ALLOWED = [
  /^(?:LICENSE|README\.md|package\.json|dist\/cjs\/package\.json)$/,
  /^dist\/conformance\.json$/,
  /^docs\/(?:reference\/(?:errors|options)\.md|schema\/\w+\.(?:prisma|sql))$/,
  /^schematics\/(?:[\w-]+\.json|templates\/[\w./{}-]+\.txt)$/,
  /^dist\/(?:esm|cjs)\/(?:(?:shared|stores)\/)?[\w.-]+\.(?:js|d\.ts)$/,
];

const BLOCK = 512;

/** Returns the contents of all files by their paths inside the package. */
export function unpack(tarball) {
  const bytes = gunzipSync(readFileSync(tarball));
  const text = (from, length) => bytes.toString('utf8', from, from + length).replace(/\0.*$/s, '');
  const files = new Map();
  for (let at = 0; bytes[at];) {
    const path = [text(at + 345, 155), text(at, 100)].filter(Boolean).join('/');
    const size = Number.parseInt(text(at + 124, 12), 8);
    const isFolder = text(at + 156, 1) === '5';
    if (!isFolder) files.set(path.replace(/^package\//, ''), bytes.subarray(at + BLOCK, at + BLOCK + size));
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}

/** Returns the paths that a field of `package.json` names. */
function pathsOf(field) {
  if (typeof field === 'string') return field.startsWith('./') || field.startsWith('dist/') ? [field] : [];
  return Object.values(field ?? {}).flatMap(pathsOf);
}

const sum = (files) => [...files.values()].reduce((total, content) => total + content.length, 0);

/** Returns the sizes of a tarball in bytes. */
export const sizesOf = (tarball) => ({ packed: readFileSync(tarball).length, unpacked: sum(unpack(tarball)) });

/** Returns a sentence for each problem of a tarball. */
export function problemsOf(tarball, limits = LIMITS) {
  const files = unpack(tarball);
  const sizes = sizesOf(tarball);
  const { bin, main, module, types, exports, typesVersions } = JSON.parse(files.get('package.json').toString());
  const named = pathsOf([bin, main, module, types, exports, typesVersions]).map((path) => path.replace(/^\.\//, ''));
  return [
    ...Object.keys(limits)
      .filter((kind) => sizes[kind] > limits[kind])
      .map((kind) => `The ${kind} size is ${sizes[kind]} bytes. The limit is ${limits[kind]} bytes.`),
    ...[...files.keys()]
      .filter((path) => !ALLOWED.some((pattern) => pattern.test(path)))
      .map((path) => `${path} does not belong in the package.`),
    ...[...new Set(named)]
      .filter((path) => !files.has(path))
      .map((path) => `package.json names ${path}, which the package does not contain.`),
  ];
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [, , tarball] = process.argv;
  const problems = problemsOf(tarball);
  for (const problem of problems) console.error(problem);
  const { packed, unpacked } = sizesOf(tarball);
  console.log(`${unpack(tarball).size} files, packed ${packed} bytes, unpacked ${unpacked} bytes`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
