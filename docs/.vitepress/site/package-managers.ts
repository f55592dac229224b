/** The package managers of the tabs. */
export const MANAGERS = ['npm', 'pnpm', 'yarn'] as const;

type Manager = Exclude<(typeof MANAGERS)[number], 'npm'>;

/** Commands of npm, and the same of the other package managers. The first pattern that matches is used. */
const COMMANDS: [RegExp, Record<Manager, string>][] = [
  [/^npm (?:install|i|ci)(?= *(?:#|$))/, { pnpm: 'pnpm install', yarn: 'yarn install' }],
  [/^npm (?:install|i) (?:-D|--save-dev) /, { pnpm: 'pnpm add -D ', yarn: 'yarn add -D ' }],
  [/^npm (?:install|i) (?=[@a-z])/, { pnpm: 'pnpm add ', yarn: 'yarn add ' }],
  [/^npm uninstall (?=[@a-z])/, { pnpm: 'pnpm remove ', yarn: 'yarn remove ' }],
  [/^npm run /, { pnpm: 'pnpm run ', yarn: 'yarn run ' }],
  [/^npm (start|test)\b/, { pnpm: 'pnpm $1', yarn: 'yarn $1' }],
  // A scoped package or one with a version is downloaded. Another name is a command of an installed package.
  [/^npx (?:-y |--yes )?(?=@|[\w./-]+@)/, { pnpm: 'pnpm dlx ', yarn: 'yarn dlx ' }],
  [/^npx (?=[a-z])/, { pnpm: 'pnpm exec ', yarn: 'yarn exec ' }],
];

const isNpm = (line: string) => /^np[mx] /.test(line);

/** Returns a line of an `sh` block for another package manager. */
function translate(line: string, manager: Manager): string {
  const [pattern, replacements] = COMMANDS.find(([known]) => known.test(line)) ?? [];
  return pattern ? line.replace(pattern, replacements![manager]) : line;
}

/**
 * Returns the commands of an `sh` block for each of `MANAGERS`, or undefined if the block has no command of npm or one
 * that the other package managers lack.
 */
export function commandsOf(block: string): string[] | undefined {
  const lines = block.split('\n');
  const isUnknown = (line: string) => isNpm(line) && !COMMANDS.some(([pattern]) => pattern.test(line));
  if (!lines.some(isNpm) || lines.some(isUnknown)) return undefined;
  const others = ['pnpm', 'yarn'] as const;
  return [block, ...others.map((manager) => lines.map((line) => translate(line, manager)).join('\n'))];
}
