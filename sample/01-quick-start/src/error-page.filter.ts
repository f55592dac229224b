import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { pageHeaders } from './pages/page.js';
import { errorPage } from './pages/error.page.js';

/** Returns errors as HTML pages, and errors of the API as JSON. */
@Catch(HttpException)
export class ErrorPageFilter implements ExceptionFilter {
  catch(exception: HttpException, host: ArgumentsHost): void {
    const { path } = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>().status(exception.getStatus());
    if (path.startsWith('/api/')) response.json(exception.getResponse());
    else response.set(pageHeaders).send(errorPage(exception.getStatus(), path));
  }
}
