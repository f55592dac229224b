import { configureGlobal, nat } from 'fast-check';

// A fixed seed makes failures reproducible. Set `FAST_CHECK_SEED` to try other cases.
configureGlobal({ seed: Number(process.env['FAST_CHECK_SEED'] ?? 1) });

export * from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;

/**
 * Generates one character: any Unicode code point except for surrogates. The unit `binary` of fast-check generates the
 * same, but builds a table of all characters in each test file, which takes a second.
 */
export const anyCharacter = nat({ max: 0x10_ff_ff - SURROGATES }).map(
  (index) => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES),
  (text) => {
    const [character, more] = text as string;
    if (character === undefined || more !== undefined) throw new Error('The text is not one character.');
    const point = character.codePointAt(0)!;
    return point < FIRST_SURROGATE ? point : point - SURROGATES;
  },
);
