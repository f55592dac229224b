import { configureGlobal } from 'fast-check';

// A fixed seed makes failures reproducible. Set `FAST_CHECK_SEED` to try other cases.
configureGlobal({ seed: Number(process.env['FAST_CHECK_SEED'] ?? 1) });

export * from 'fast-check';
