import { execFile } from 'node:child_process';

/** Runs a program and returns its output. The message of a failure contains the output. */
export function run(program, parameters, { cwd, env = {} }) {
  return new Promise((resolve, reject) => {
    const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 1 << 26, timeout: 600_000 };
    execFile(program, parameters, options, (error, stdout, stderr) => {
      if (error) reject(new Error(`${error.message}\n${stdout}\n${stderr}`));
      else resolve(stdout);
    });
  });
}
