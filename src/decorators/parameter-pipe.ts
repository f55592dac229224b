import type { PipeTransform, Type } from '@nestjs/common';

/**
 * A pipe for a parameter decorator. Declared here because Nest 11 and Nest 12 export this type under different names.
 */
export type ParameterPipe = PipeTransform | Type<PipeTransform>;
