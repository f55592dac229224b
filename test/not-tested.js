const MISSING = /^needs (.+?): (.+)$/;

/** Prints at the end of a run which servers and programs the tests lacked, one line for each command. */
export default class NotTested {
  onRunComplete(_contexts, { testResults }) {
    /** The names of what is missing, by the command that provides it. */
    const missing = new Map();
    for (const { ancestorTitles, title } of testResults.flatMap((file) => file.testResults)) {
      const [, name, command] = (ancestorTitles.at(-1) === 'not tested' && MISSING.exec(title)) || [];
      if (name) missing.set(command, (missing.get(command) ?? new Set()).add(name));
    }
    for (const [command, names] of missing) {
      process.stderr.write(`Not tested: ${[...names].join(', ')}. To test with them, run \`${command}\`.\n`);
    }
  }
}
