import type * as Cookies from "@effect/platform/Cookies"
import type * as Headers from "@effect/platform/Headers"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import type * as UrlParams from "@effect/platform/UrlParams"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Inspectable from "effect/Inspectable"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"

type Read<A> = Effect.Effect<A, HttpClientError.ResponseError>

const decoder = new TextDecoder()

const concat = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => {
  const [first = new Uint8Array(0), ...others] = chunks
  if (others.length === 0) return first
  const whole = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

/** Why a response is not read to its end. */
export class ResponseTooLarge extends Data.TaggedError("ResponseTooLarge")<{ readonly limit: number }> {
  override get message(): string {
    return `expected at most ${this.limit} bytes`
  }
}

/** The bytes of a body, up to a limit. */
export class BoundedBody {
  chunks: Array<Uint8Array> = []
  #bytes = 0

  constructor(private readonly limit: number) {}

  /** Adds a chunk. Returns the error if the body then exceeds the limit. */
  push(chunk: Uint8Array): ResponseTooLarge | undefined {
    this.#bytes += chunk.length
    if (this.#bytes > this.limit) return new ResponseTooLarge({ limit: this.limit })
    this.chunks.push(chunk)
    return undefined
  }
}

/** A response whose bytes have all arrived. Only its text is read here; the platform provides the rest. */
export class WholeResponse extends Inspectable.Class implements HttpClientResponse.HttpClientResponse {
  readonly [HttpIncomingMessage.TypeId]: HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly [HttpClientResponse.TypeId]: HttpClientResponse.TypeId = HttpClientResponse.TypeId

  constructor(
    readonly request: HttpClientRequest.HttpClientRequest,
    readonly status: number,
    readonly headers: Headers.Headers,
    private readonly chunks: ReadonlyArray<Uint8Array>
  ) {
    super()
  }

  /** The received bytes, which are copied into one piece, and their text. */
  read(): { readonly bytes: Uint8Array; readonly text: string } {
    const bytes = concat(this.chunks)
    return { bytes, text: decoder.decode(bytes) }
  }

  /** The received text. */
  get received(): string {
    return this.read().text
  }

  get text(): Effect.Effect<string> {
    return Effect.sync(() => this.received)
  }

  get json(): Read<unknown> {
    return this.asPlatforms.json
  }

  get arrayBuffer(): Read<ArrayBuffer> {
    return this.asPlatforms.arrayBuffer
  }

  get urlParamsBody(): Read<UrlParams.UrlParams> {
    return this.asPlatforms.urlParamsBody
  }

  get formData(): Read<FormData> {
    return this.asPlatforms.formData
  }

  get stream(): Stream.Stream<Uint8Array, HttpClientError.ResponseError> {
    return this.asPlatforms.stream
  }

  get cookies(): Cookies.Cookies {
    return this.asPlatforms.cookies
  }

  get remoteAddress(): Option.Option<string> {
    return Option.none()
  }

  toJSON(): unknown {
    return HttpIncomingMessage.inspect(this, { _id: "@effect/platform/HttpClientResponse", status: this.status })
  }

  /** Created for each reading, because it can be read only once. */
  private get asPlatforms(): HttpClientResponse.HttpClientResponse {
    const { chunks, headers, request, status } = this
    // Some statuses do not allow a body, not even an empty one.
    const body = chunks.length === 0 ? null : new Uint8Array(concat(chunks))
    return HttpClientResponse.fromWeb(request, new Response(body, { status, headers }))
  }
}
