import { configureGlobal } from 'fast-check';

// The same cases in each run, so that what fails once fails again; another number looks for more.
configureGlobal({ seed: Number(process.env['FAST_CHECK_SEED'] ?? 1) });

export * from 'fast-check';
