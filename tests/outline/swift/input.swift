import Foundation

/// A point.
@objc(Point)
public struct Point: Codable, Equatable {
    public var x: Double
    public var y: Double = 0 {
        didSet { changed() }
    }

    public var length: Double {
        return (x * x + y * y).squareRoot()
    }

    public init(x: Double) {
        self.x = x
    }

    static func == (a: Point, b: Point) -> Bool {
        a.x == b.x
    }
}

enum State: String {
    case open
    case closed

    func next() -> State {
        switch self {
        case .open: return .closed
        case .closed: return .open
        }
    }
}

protocol Runs: AnyObject {
    func run(_ x: Int) throws -> String
}

extension Point: CustomStringConvertible {
    public var description: String { "\(x) {" }
}

private let limit = 10

func load<T>(
    from url: URL,
    then: @escaping (T) -> Void = { _ in }
) async throws -> T where T: Decodable {
    let text = """
    } not the end
    """
    guard let x = text else {
        fatalError()
    }
    return x
}
