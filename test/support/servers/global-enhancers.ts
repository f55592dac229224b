import {
  type ArgumentsHost,
  BadRequestException,
  type CallHandler,
  type CanActivate,
  Catch,
  type ExceptionFilter,
  type ExecutionContext,
  HttpException,
  Injectable,
  type NestInterceptor,
  type PipeTransform,
  type Provider,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { OAuthGuard } from 'nest-oauth2';
import { map, type Observable } from 'rxjs';

/**
 * A global pipe like a strict `ValidationPipe`: it rejects objects with properties and replaces other values. Values of
 * custom parameter decorators pass unchanged.
 */
@Injectable()
export class StrictPipe implements PipeTransform {
  transform(value: unknown, { type }: { type: string }): unknown {
    if (type === 'custom') return value;
    if (typeof value === 'object' && value !== null && Object.keys(value).length > 0) {
      throw new BadRequestException('property should not exist');
    }
    return { transformed: true };
  }
}

/** A global interceptor that wraps every response body in `{ success, data }`. */
@Injectable()
export class WrappingInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((data: unknown) => ({ success: true, data })));
  }
}

/** A global exception filter that replaces the body of every error response. */
@Catch()
export class CatchAllFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const status = error instanceof HttpException ? error.getStatus() : 500;
    const response = host.switchToHttp().getResponse();
    response
      .status(status)
      .send({ success: false, reason: error instanceof HttpException ? error.getResponse() : 'error' });
  }
}

/** A global guard that admits every request and counts its calls. */
@Injectable()
export class CountingGuard implements CanActivate {
  static count = 0;

  canActivate(): boolean {
    CountingGuard.count += 1;
    return true;
  }
}

/**
 * The global pipe, interceptor, filter and guards with which an application could change the responses of the library's
 * endpoints.
 */
export const GLOBAL_ENHANCERS: Provider[] = [
  { provide: APP_PIPE, useClass: StrictPipe },
  { provide: APP_INTERCEPTOR, useClass: WrappingInterceptor },
  { provide: APP_FILTER, useClass: CatchAllFilter },
  { provide: APP_GUARD, useClass: CountingGuard },
  { provide: APP_GUARD, useClass: OAuthGuard },
];
