      return cached;
    } catch (e) {
      this.log(`failed ${e}`);
    }
  }

  private async fetch(url: string): Promise<Response> {
    return fetch(url);
  }

  dispose(): void {
    this.items.forEach((i) => {
      i.close();
    });
  }
}

export function next(a: A) {
  return a.b
