package org.example

import scala.collection.mutable.{Map, Set}

/** A store. */
@deprecated("x")
class Store[T](name: String) extends Base with Logging {
  private val items = Map.empty[String, T]

  def put(key: String, value: T): Unit = {
    items(key) = value
  }

  override def size: Int = items.size
}

object Store {
  def apply[T](name: String): Store[T] = new Store[T](name)
}

case class Point(x: Int, y: Int)

sealed trait Shape {
  def area: Double
}
